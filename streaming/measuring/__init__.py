"""From settled generations to rows: problems, ideals, measures. Where `assignors` is called."""
