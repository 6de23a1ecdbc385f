"""Everything that touches Spark, Kafka or Delta: the rebalance monitor itself."""
