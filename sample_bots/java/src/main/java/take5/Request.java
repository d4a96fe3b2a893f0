package take5;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/**
 * A question of the referee, as far as {@link Policy} looks at it. What a kind of request lacks is empty, and the cow
 * stands in row -1 where there is none.
 */
record Request(
    String type,
    long id,
    int highestCard,
    int players,
    List<List<Integer>> rows,
    List<Integer> bullheads,
    List<Integer> costs,
    int cow,
    List<Integer> seen,
    List<Integer> hand,
    List<Integer> choices) {

  static Request from(Map<String, Value> message) {
    var rules = Link.fields(message.get("rules"));
    return new Request(
        message.get("type").asStringValue().asString(),
        message.get("request").asIntegerValue().asLong(),
        number(rules.get("highest_card")),
        items(message.get("totals")).size(),
        items(message.get("rows")).stream().map(Request::numbers).toList(),
        numbers(message.get("row_bullheads")),
        numbers(message.get("costs")),
        isNil(message.get("cow")) ? -1 : number(message.get("cow")),
        numbers(message.get("seen")),
        numbers(message.get("hand")),
        numbers(message.get("choices")));
  }

  /** Returns the cards that this seat has never seen. */
  List<Integer> hidden() {
    return IntStream.rangeClosed(1, highestCard)
        .boxed()
        .filter(card -> !seen.contains(card) && !hand.contains(card))
        .toList();
  }

  /** Says whether a field is missing; nil and absent mean the same. */
  static boolean isNil(Value value) {
    return value == null || value.isNilValue();
  }

  private static int number(Value value) {
    return value.asIntegerValue().asInt();
  }

  private static List<Integer> numbers(Value value) {
    return items(value).stream().map(Request::number).toList();
  }

  private static List<Value> items(Value value) {
    return (isNil(value) ? ValueFactory.emptyArray() : value.asArrayValue()).list();
  }
}
