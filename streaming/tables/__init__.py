"""Delta tables: their schemas, the files of a micro-batch, its commits, and reading them back."""
