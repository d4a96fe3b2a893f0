package take5;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.stream.Collectors;
import org.msgpack.core.MessageFormatException;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.value.Value;

/** Messages over a stream of bytes: each is its length in 4 bytes, big-endian, and then one msgpack map. */
final class Link {
  /** The most bytes of a message. */
  private static final int LIMIT = 65536;

  private final DataInputStream in;
  private final OutputStream out;

  Link(InputStream in, OutputStream out) {
    this.in = new DataInputStream(new BufferedInputStream(in));
    this.out = out;
  }

  /** Sends one message with one call. */
  void send(Value message) throws IOException {
    byte[] payload;
    try (var packer = MessagePack.newDefaultBufferPacker()) {
      packer.packValue(message);
      payload = packer.toByteArray();
    }
    out.write(ByteBuffer.allocate(4 + payload.length).putInt(payload.length).put(payload).array());
    out.flush();
  }

  /**
   * Waits for the next message, however the network tore it, and returns its fields.
   *
   * @throws IOException at the end of the connection, and if what came is no message
   */
  Map<String, Value> receive() throws IOException {
    int length = in.readInt();
    if (length < 1 || length > LIMIT) {
      throw new IOException("a frame of " + Integer.toUnsignedString(length) + " bytes");
    }
    byte[] payload = new byte[length];
    in.readFully(payload);
    try (var unpacker = MessagePack.newDefaultUnpacker(payload)) {
      var message = fields(unpacker.unpackValue());
      if (unpacker.hasNext()) {
        throw new IOException("a frame with more than one value");
      }
      return message;
    } catch (MessagePackException broken) {
      throw new IOException("a frame that is no msgpack map", broken);
    }
  }

  /** Returns the pairs of a map with string keys. */
  static Map<String, Value> fields(Value value) {
    if (!value.isMapValue()) {
      throw new MessageFormatException("not a map");
    }
    return value.asMapValue().entrySet().stream()
        .collect(Collectors.toMap(pair -> pair.getKey().asStringValue().asString(), Map.Entry::getValue));
  }
}
