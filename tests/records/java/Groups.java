import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.Stores;

/** Groups of Kafka's own clients, one of each kind, with what happens to groups. Arguments: bootstrap servers, topic. */
public class Groups {
    private static final long PATIENCE_MS = 60_000;
    private final String servers;
    private final String topic;

    private Groups(String servers, String topic) {
        this.servers = servers;
        this.topic = topic;
    }

    public static void main(String[] args) throws Exception {
        var groups = new Groups(args[0], args[1]);
        groups.classic("java-sticky", StickyAssignor.class);
        groups.classic("java-cooperative", CooperativeStickyAssignor.class);
        groups.consumer("java-consumer");
        groups.share("java-share");
        groups.streams("java-streams");
        groups.delete();
        System.out.println("done");
    }

    private void classic(String group, Class<?> assignor) {
        Map<String, String> config = Map.of("partition.assignment.strategy", assignor.getName(), "client.rack", "rack-a");
        try (var first = consumer(group, config)) {
            first.subscribe(Set.of(topic));
            rebalance(first, () -> {
                var second = consumer(group, config);
                second.subscribe(Set.of(topic));
                return second;
            });
        }
    }

    private void consumer(String group) {
        Map<String, String> config = Map.of("group.protocol", "consumer", "client.rack", "rack-a");
        var pattern = new SubscriptionPattern(topic + ".*");
        try (var first = consumer(group, config)) {
            first.subscribe(pattern);
            rebalance(first, () -> {
                var second = consumer(group, config);
                second.subscribe(pattern);
                return second;
            });
        }
    }

    /** One member, two, each with partitions, and one again, with commits in between. */
    private void rebalance(Consumer<byte[], byte[]> first, java.util.function.Supplier<Consumer<byte[], byte[]>> join) {
        until(() -> owns(first, 4));
        first.commitSync();
        try (var second = join.get()) {
            until(() -> owns(first, 2) & owns(second, 2));
            second.commitSync();
        }
        until(() -> owns(first, 4));
        first.commitSync();
    }

    private static boolean owns(Consumer<byte[], byte[]> consumer, int partitions) {
        consumer.poll(Duration.ofMillis(100));
        return consumer.assignment().size() == partitions;
    }

    private void share(String group) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", servers));
             var first = new KafkaShareConsumer<byte[], byte[]>(properties(group, Map.of()));
             var second = new KafkaShareConsumer<byte[], byte[]>(properties(group, Map.of()))) {
            first.subscribe(List.of(topic));
            second.subscribe(List.of(topic));
            until(() -> {
                first.poll(Duration.ofMillis(100));
                second.poll(Duration.ofMillis(100));
                return shared(admin, group);
            });
        }
    }

    private static boolean shared(Admin admin, String group) {
        try {
            var members = admin.describeShareGroups(List.of(group)).all().get().get(group).members();
            return members.size() == 2
                && members.stream().allMatch(member -> !member.assignment().topicPartitions().isEmpty());
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    private void streams(String group) {
        var builder = new StreamsBuilder();
        builder.stream(topic)
            .groupByKey()
            .count(Materialized.as(Stores.inMemoryKeyValueStore("counts")));
        var config = new Properties();
        config.put(StreamsConfig.APPLICATION_ID_CONFIG, group);
        config.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
        config.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "streams");
        config.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        config.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 200);
        config.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.ByteArraySerde.class);
        config.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.ByteArraySerde.class);
        try (var streams = new KafkaStreams(builder.build(), config)) {
            streams.start();
            until(() -> works(streams));
        }
    }

    private static boolean works(KafkaStreams streams) {
        pause();
        return streams.state() == KafkaStreams.State.RUNNING
            && streams.metadataForLocalThreads().stream().mapToInt(thread -> thread.activeTasks().size()).sum() == 4;
    }

    private void delete() throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", servers))) {
            admin.deleteConsumerGroupOffsets("java-sticky", Set.of(new TopicPartition(topic, 0))).all().get();
            admin.deleteConsumerGroups(List.of("java-cooperative", "java-consumer")).all().get();
            admin.deleteShareGroups(List.of("java-share")).all().get();
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer(String group, Map<String, String> config) {
        var properties = properties(group, config);
        properties.put("auto.offset.reset", "earliest");
        properties.put("enable.auto.commit", "false");
        return new KafkaConsumer<>(properties);
    }

    private Properties properties(String group, Map<String, String> config) {
        var properties = new Properties();
        properties.putAll(Map.of(
            "bootstrap.servers", servers,
            "group.id", group,
            "key.deserializer", ByteArrayDeserializer.class,
            "value.deserializer", ByteArrayDeserializer.class));
        properties.putAll(config);
        return properties;
    }

    private static void until(BooleanSupplier holds) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("not within " + PATIENCE_MS + " ms");
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
