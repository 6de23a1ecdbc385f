"""The JVM side of a run: Java, jars, and the Spark session built from them."""
