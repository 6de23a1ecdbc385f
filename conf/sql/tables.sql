-- Names for the monitor's tables, which lie as Delta folders below one location. Set it first:
--   SET location = s3://bucket/rebalances;
-- and USE the schema that shall hold the names. Runs on Spark SQL and Databricks SQL.
CREATE TABLE IF NOT EXISTS rebalances USING DELTA LOCATION '${location}/rebalances';
CREATE TABLE IF NOT EXISTS drift USING DELTA LOCATION '${location}/drift';
CREATE TABLE IF NOT EXISTS member_load USING DELTA LOCATION '${location}/member_load';
CREATE TABLE IF NOT EXISTS assignments USING DELTA LOCATION '${location}/assignments';
CREATE TABLE IF NOT EXISTS group_state USING DELTA LOCATION '${location}/group_state';
CREATE TABLE IF NOT EXISTS offsets USING DELTA LOCATION '${location}/offsets';
CREATE TABLE IF NOT EXISTS alerts USING DELTA LOCATION '${location}/alerts';
CREATE TABLE IF NOT EXISTS dead_letters USING DELTA LOCATION '${location}/dead_letters';
CREATE TABLE IF NOT EXISTS batches USING DELTA LOCATION '${location}/batches';
