package take5;

import static org.msgpack.value.ValueFactory.newArray;
import static org.msgpack.value.ValueFactory.newInteger;
import static org.msgpack.value.ValueFactory.newString;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/** Plays as the environment says until told to end, and comes back whenever the connection breaks. */
public final class Main {
  /** Milliseconds before each attempt to come back: twice as long each time, up to 5 s, and a minute in all. */
  private static final int[] WAITS = {
    100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000
  };

  /** Errors after which trying again changes nothing. */
  private static final Set<String> HOPELESS =
      Set.of("unsupported_version", "unknown_entrant", "name_taken", "registration_closed");

  /** Errors that are like a broken connection; all other fatal ones are bugs of the bot. */
  private static final Set<String> NO_BUGS = Set.of("handshake_timeout", "too_many_connections");

  /** The type of the answer to each type of request, and the field that holds the decision. */
  private static final Map<String, String[]> ANSWERS =
      Map.of(
          "choose_card", new String[] {"card", "card"},
          "choose_row", new String[] {"row", "row"},
          "choose_draft", new String[] {"draft", "card"});

  private final InetSocketAddress address;
  private final Value hello;
  private boolean welcomed;

  private Main(String host, int port, String name, String secret) {
    address = new InetSocketAddress(host, port);
    // Without memory, games cannot get in each other's way: one process plays them all.
    hello =
        ValueFactory.newMap(
            newString("type"), newString("hello"),
            newString("name"), newString(name),
            newString("secret"), newString(secret),
            newString("versions"), newArray(newInteger(1)),
            newString("games"), newInteger(16),
            newString("client"), newString("memoryless"));
  }

  /** Runs the bot; the exit code is 0 if the referee ended it in good order. */
  public static void main(String[] arguments) throws InterruptedException {
    for (var key : new String[] {"TAKE5_HOST", "TAKE5_PORT", "TAKE5_NAME", "TAKE5_SECRET"}) {
      if (System.getenv(key) == null) {
        System.err.println(key + " is not set: the referee sets it when it starts a bot.");
        System.exit(1);
      }
    }
    var host = System.getenv("TAKE5_HOST");
    var port = System.getenv("TAKE5_PORT");
    var bot =
        new Main(host, Integer.parseInt(port), System.getenv("TAKE5_NAME"), System.getenv("TAKE5_SECRET"));
    if (!bot.playUntilTold()) {
      System.err.println("This bot gives up on the referee at " + host + ", port " + port + ".");
      System.exit(1);
    }
  }

  /** Plays, on as many connections as it takes; returns false if it gave up. */
  private boolean playUntilTold() throws InterruptedException {
    int failures = 0;
    int bugs = 0;
    while (true) {
      welcomed = false;
      var end = playOnce();
      if (welcomed) {
        failures = 0;
      }
      if (text(end, "type").equals("closing")) {
        if (Request.isNil(end.get("retry_ms"))) {
          return true;
        }
        Thread.sleep(end.get("retry_ms").asIntegerValue().asLong());
        continue;
      }
      var code = text(end, "code");
      bugs = code.isEmpty() || NO_BUGS.contains(code) ? 0 : bugs + 1;
      if (bugs == 3 || HOPELESS.contains(code) || failures == WAITS.length) {
        return false;
      }
      Thread.sleep(WAITS[failures++]);
    }
  }

  /** Plays on one connection and returns the closing or fatal error that ended it, or nothing if it broke. */
  private Map<String, Value> playOnce() {
    try (var socket = new Socket()) {
      socket.setTcpNoDelay(true);
      // Resolved anew each time: the referee may have moved.
      socket.connect(new InetSocketAddress(address.getHostString(), address.getPort()), 5000);
      return play(new Link(socket.getInputStream(), socket.getOutputStream()));
    } catch (EOFException end) {
      return Map.of();
    } catch (IOException failure) {
      System.err.println("The connection to the referee failed: " + failure.getMessage() + ".");
      return Map.of();
    }
  }

  private Map<String, Value> play(Link link) throws IOException {
    link.send(hello);
    while (true) {
      var message = link.receive();
      var type = text(message, "type");
      if (ANSWERS.containsKey(type)) {
        answer(link, Request.from(message));
      } else if (type.equals("welcome")) {
        welcomed = true;
      } else if (type.equals("error")) {
        System.err.println(text(message, "message"));
      }
      if (type.equals("closing") || (type.equals("error") && message.get("fatal").asBooleanValue().getBoolean())) {
        return message;
      }
      // All else may be ignored, and what this bot has never heard of must be.
    }
  }

  private static void answer(Link link, Request request) throws IOException {
    var answer = ANSWERS.get(request.type());
    var message =
        ValueFactory.newMap(
            newString("type"), newString(answer[0]),
            newString("request"), newInteger(request.id()),
            newString(answer[1]), newInteger(Policy.choose(request)));
    try {
      link.send(message);
    } catch (IOException broken) {
      // The connection is at its end; `receive` will say so, after what the referee still had to say.
    }
  }

  private static String text(Map<String, Value> message, String key) {
    var value = message.get(key);
    return Request.isNil(value) ? "" : value.asStringValue().asString();
  }
}
