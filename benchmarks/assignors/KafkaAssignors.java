import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.GroupSubscription;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/**
 * Runs Kafka's own client-side assignors on problems from standard input.
 *
 * <p>A problem is one line of fields that are separated by '|': id, assignor, deadline in
 * milliseconds, most timed runs (fewer if a run is slow), topics ("name:partitions[:racks]" separated by ',', racks per
 * partition separated by '/', of its replicas by '+'), then one field per member ("id;instance
 * id;generation;rack;topic indexes;owned", topic indexes separated by ' ', owned as
 * "topic index:partition" separated by ' '; an empty part means none).
 *
 * <p>An answer is one line: id|ok|least nanoseconds|owner per partition (member index or -1,
 * separated by ' '), or id|failed|message, or id|did-not-return. After the latter the process ends
 * with status 3: a thread that does not come back cannot be ended otherwise.
 */
public final class KafkaAssignors {
    private static final int DID_NOT_RETURN = 3;
    private static final int DEFAULT_GENERATION = -1;
    private static final long RUNS_NANOS = TimeUnit.SECONDS.toNanos(3);

    private KafkaAssignors() {
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        BufferedReader problems =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 20);
        BufferedWriter answers =
            new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), 1 << 20);
        for (String line = problems.readLine(); line != null; line = problems.readLine()) {
            Problem problem = new Problem(line);
            FutureTask<String> answer = new FutureTask<>(problem::answer);
            Thread thread = new Thread(answer);
            thread.setDaemon(true);
            thread.start();
            String said = wait(problem, answer);
            answers.write(problem.id + "|" + said + "\n");
            answers.flush();
            if (said.equals("did-not-return"))
                Runtime.getRuntime().halt(DID_NOT_RETURN);
        }
    }

    private static String wait(Problem problem, FutureTask<String> answer)
        throws InterruptedException {
        try {
            return answer.get(problem.deadlineMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            return "did-not-return";
        } catch (ExecutionException failed) {
            return "failed|" + failed.getCause().toString().replace('\n', ' ');
        }
    }

    private static final class Problem {
        final String id;
        final long deadlineMs;
        private final String assignor;
        private final int runs;
        private final List<String> topics = new ArrayList<>();
        private final int[] first;
        private final Cluster cluster;
        private final List<String> members = new ArrayList<>();
        private final List<String[]> memberParts = new ArrayList<>();

        Problem(String line) {
            String[] fields = line.split("\\|", -1);
            id = fields[0];
            assignor = fields[1];
            deadlineMs = Long.parseLong(fields[2]);
            runs = Integer.parseInt(fields[3]);
            String[] described = fields[4].isEmpty() ? new String[0] : fields[4].split(",");
            first = new int[described.length + 1];
            cluster = readTopics(described);
            for (int i = 5; i < fields.length; i++) {
                String[] parts = fields[i].split(";", -1);
                members.add(parts[0]);
                memberParts.add(parts);
            }
        }

        private Cluster readTopics(String[] described) {
            Map<String, Node> racks = new HashMap<>();
            List<PartitionInfo> partitions = new ArrayList<>();
            for (int t = 0; t < described.length; t++) {
                String[] parts = described[t].split(":", -1);
                int count = Integer.parseInt(parts[1]);
                topics.add(parts[0]);
                first[t + 1] = first[t] + count;
                String[] named = parts.length > 2 ? parts[2].split("/", -1) : new String[0];
                for (int p = 0; p < count; p++) {
                    Node[] replicas = p < named.length ? nodes(named[p], racks) : nodes("", racks);
                    partitions.add(
                        new PartitionInfo(parts[0], p, replicas[0], replicas, replicas));
                }
            }
            return new Cluster("cluster", racks.values(), partitions, Collections.emptySet(),
                Collections.emptySet());
        }

        private static Node[] nodes(String named, Map<String, Node> racks) {
            return Arrays.stream(named.split("\\+", -1))
                .map(rack -> racks.computeIfAbsent(rack,
                    r -> new Node(racks.size(), "host", 9092, r.isEmpty() ? null : r)))
                .toArray(Node[]::new);
        }

        String answer() {
            long least = Long.MAX_VALUE;
            long spent = 0;
            Map<String, Assignment> assigned = Collections.emptyMap();
            for (int run = 0; run < runs && spent < RUNS_NANOS; run++) {
                GroupSubscription group = subscriptions();
                ConsumerPartitionAssignor fresh = assignor();
                long started = System.nanoTime();
                assigned = fresh.assign(cluster, group).groupAssignment();
                long nanos = System.nanoTime() - started;
                least = Math.min(least, nanos);
                spent += nanos;
            }
            return "ok|" + least + "|" + owners(assigned);
        }

        private ConsumerPartitionAssignor assignor() {
            switch (assignor) {
                case "range":
                    return new RangeAssignor();
                case "roundrobin":
                    return new RoundRobinAssignor();
                case "sticky":
                    return new StickyAssignor();
                case "cooperative-sticky":
                    return new CooperativeStickyAssignor();
                default:
                    throw new IllegalArgumentException("no such assignor: " + assignor);
            }
        }

        private GroupSubscription subscriptions() {
            Map<String, Subscription> subscriptions = new LinkedHashMap<>();
            for (String[] parts : memberParts)
                subscriptions.put(parts[0], subscription(parts));
            return new GroupSubscription(new HashMap<>(subscriptions));
        }

        private Subscription subscription(String[] parts) {
            List<String> wanted = new ArrayList<>();
            for (String topic : words(parts[4]))
                wanted.add(topics.get(Integer.parseInt(topic)));
            Map<String, List<Integer>> owned = new LinkedHashMap<>();
            List<TopicPartition> partitions = new ArrayList<>();
            for (String claim : words(parts[5])) {
                int colon = claim.indexOf(':');
                String topic = topics.get(Integer.parseInt(claim.substring(0, colon)));
                int number = Integer.parseInt(claim.substring(colon + 1));
                owned.computeIfAbsent(topic, t -> new ArrayList<>()).add(number);
                partitions.add(new TopicPartition(topic, number));
            }
            int generation =
                parts[2].isEmpty() ? DEFAULT_GENERATION : Integer.parseInt(parts[2]);
            Subscription subscription = new Subscription(wanted, userData(owned, generation),
                partitions, generation,
                parts[3].isEmpty() ? Optional.empty() : Optional.of(parts[3]));
            if (!parts[1].isEmpty())
                subscription.setGroupInstanceId(Optional.of(parts[1]));
            return subscription;
        }

        /** What StickyAssignor sends: previous assignment by topic, generation. */
        private ByteBuffer userData(Map<String, List<Integer>> owned, int generation) {
            if (!assignor.equals("sticky"))
                return null;
            int size = 8;
            for (Map.Entry<String, List<Integer>> entry : owned.entrySet())
                size += 6 + entry.getKey().length() * 4 + entry.getValue().size() * 4;
            ByteBuffer buffer = ByteBuffer.allocate(size);
            buffer.putInt(owned.size());
            owned.forEach((topic, numbers) -> {
                byte[] name = topic.getBytes(StandardCharsets.UTF_8);
                buffer.putShort((short) name.length).put(name).putInt(numbers.size());
                numbers.forEach(buffer::putInt);
            });
            buffer.putInt(generation).flip();
            return buffer;
        }

        private static String[] words(String text) {
            return text.isEmpty() ? new String[0] : text.split(" ");
        }

        private String owners(Map<String, Assignment> assigned) {
            int[] owner = new int[first[topics.size()]];
            Arrays.fill(owner, -1);
            Map<String, Integer> starts = new HashMap<>();
            for (int t = 0; t < topics.size(); t++)
                starts.put(topics.get(t), first[t]);
            for (int m = 0; m < members.size(); m++)
                for (TopicPartition partition : assigned.get(members.get(m)).partitions())
                    owner[starts.get(partition.topic()) + partition.partition()] = m;
            StringBuilder text = new StringBuilder(owner.length * 5);
            for (int i = 0; i < owner.length; i++)
                text.append(i == 0 ? "" : " ").append(owner[i]);
            return text.toString();
        }
    }
}
