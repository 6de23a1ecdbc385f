import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolAssignmentJsonConverter;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.message.ConsumerProtocolSubscriptionJsonConverter;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.apache.kafka.coordinator.group.generated.CoordinatorRecordJsonConverters;

/**
 * Kafka's own JSON of records: lines of key and value in hex (or null) in, for each two lines out, the JSON as
 * Kafka's formatters print it, and the same with what consumers embed put through Kafka's converters too.
 */
public class KafkaJson {
    public static void main(String[] args) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line; (line = in.readLine()) != null; ) {
            String[] record = line.split(" ");
            out.println(shown(record, false));
            out.println(shown(record, true));
        }
        out.flush();
    }

    private static JsonNode shown(String[] record, boolean embedded) {
        try {
            JsonNode json = json(new GroupCoordinatorRecordSerde().deserialize(bytes(record[0]), bytes(record[1])));
            if (embedded) {
                embed(json.path("value").path("data"));
            }
            return json;
        } catch (RuntimeException error) {
            return JsonNodeFactory.instance.objectNode().put("error", String.valueOf(error.getMessage()));
        }
    }

    private static JsonNode json(CoordinatorRecord record) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.putObject("key")
            .put("type", record.key().apiKey())
            .set("data", CoordinatorRecordJsonConverters.writeRecordKeyAsJson(record.key()));
        if (record.value() == null) {
            return json.putNull("value");
        }
        short version = record.value().version();
        json.putObject("value")
            .put("version", version)
            .set("data", CoordinatorRecordJsonConverters.writeRecordValueAsJson(record.value().message(), version));
        return json;
    }

    private static void embed(JsonNode data) {
        if (data.path("protocolType").asText().equals("consumer")) {
            for (JsonNode member : data.path("members")) {
                embed((ObjectNode) member, "subscription");
                embed((ObjectNode) member, "assignment");
            }
        }
        for (JsonNode protocol : data.path("classicMemberMetadata").path("supportedProtocols")) {
            embed((ObjectNode) protocol, "metadata");
        }
    }

    private static void embed(ObjectNode place, String name) {
        ByteBuffer raw = ByteBuffer.wrap(((BinaryNode) place.get(name)).binaryValue());
        if (!raw.hasRemaining()) {
            return;
        }
        short version = (short) Math.min(raw.getShort(), ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION);
        var bytes = new ByteBufferAccessor(raw);
        place.set(name, name.equals("assignment")
            ? ConsumerProtocolAssignmentJsonConverter.write(new ConsumerProtocolAssignment(bytes, version), version)
            : ConsumerProtocolSubscriptionJsonConverter.write(new ConsumerProtocolSubscription(bytes, version), version));
    }

    private static ByteBuffer bytes(String hex) {
        return hex.equals("null") ? null : ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }
}
