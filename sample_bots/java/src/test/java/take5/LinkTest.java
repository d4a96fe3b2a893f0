package take5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

class LinkTest {
  private static final Path VECTORS = Path.of("../../protocol/vectors/frames.json");

  /** The frames of the referee's own vectors in which nothing is wrong, in either direction. */
  private static List<JsonObject> goodFrames() throws IOException {
    var frames = JsonParser.parseString(Files.readString(VECTORS)).getAsJsonObject().getAsJsonArray("frames");
    return StreamSupport.stream(frames.spliterator(), false)
        .map(JsonElement::getAsJsonObject)
        .filter(frame -> frame.getAsJsonArray("errors").isEmpty())
        .toList();
  }

  private static Link reading(byte... bytes) {
    return new Link(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream());
  }

  private static Link reading(JsonObject frame) {
    var hex = new StringBuilder();
    frame.getAsJsonArray("chunks").forEach(chunk -> hex.append(chunk.getAsString()));
    return reading(HexFormat.of().parseHex(hex));
  }

  @Test
  void messagesAreReadAsTheRefereeReadsThem() throws IOException {
    assumeTrue(Files.exists(VECTORS), "this bot was copied away from the referee, whose vectors it is tested with");
    var frames = goodFrames();
    assertFalse(frames.isEmpty());

    for (var frame : frames) {
      var link = reading(frame);
      for (var element : frame.getAsJsonArray("messages")) {
        assertSame(element.getAsJsonObject(), link.receive(), frame.get("name").getAsString());
      }
    }
  }

  /** Compares what identifies a message: its type and the numbers of an answer. */
  private static void assertSame(JsonObject expected, Map<String, Value> message, String name) {
    assertEquals(expected.get("type").getAsString(), message.get("type").asStringValue().asString(), name);
    for (var key : List.of("request", "card", "row")) {
      if (expected.has(key) && expected.get(key).isJsonPrimitive()) {
        assertEquals(expected.get(key).getAsLong(), message.get(key).asIntegerValue().asLong(), name);
      }
    }
  }

  @Test
  void aFrameThatIsTooLongOrEmptyIsRefused() {
    assertThrows(IOException.class, reading((byte) 0, (byte) 1, (byte) 0, (byte) 1)::receive);
    assertThrows(IOException.class, reading((byte) 0, (byte) 0, (byte) 0, (byte) 0)::receive);
    assertThrows(IOException.class, reading((byte) -1, (byte) -1, (byte) -1, (byte) -1)::receive);
  }

  @Test
  void aFrameThatIsNoMapIsRefused() {
    assertThrows(IOException.class, reading((byte) 0, (byte) 0, (byte) 0, (byte) 1, (byte) 5)::receive);
    assertThrows(IOException.class, reading((byte) 0, (byte) 0, (byte) 0, (byte) 2, (byte) -128, (byte) 5)::receive);
  }

  @Test
  void whatIsSentIsWhatTheDocumentShows() throws IOException {
    var bytes = new ByteArrayOutputStream();
    var message =
        ValueFactory.newMap(
            ValueFactory.newString("type"), ValueFactory.newString("ping"),
            ValueFactory.newString("echo"), ValueFactory.newInteger(300));

    new Link(new ByteArrayInputStream(new byte[0]), bytes).send(message);

    assertEquals("0000001382a474797065a470696e67a46563686fcd012c", HexFormat.of().formatHex(bytes.toByteArray()));
  }
}
