package take5;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Decides by the crowd to be expected below a card: how many cards the opponents will probably play into the gap
 * between the end of its row and itself, against the room that the row has.
 *
 * <p>Nothing is kept from one request to the next, and there is no chance in it.
 */
final class Policy {
  /** What a row holds; the cow counts. */
  private static final int ROW_LIMIT = 5;

  private Policy() {}

  static int choose(Request request) {
    return switch (request.type()) {
      case "choose_card" -> card(request);
      case "choose_row" -> row(request);
      case "choose_draft" -> draft(request);
      default -> throw new IllegalArgumentException("no request: " + request.type());
    };
  }

  /** Picks the card with the least at risk, of equals the highest, since high cards are hard to play later. */
  private static int card(Request request) {
    var byRisk = Comparator.comparingDouble((Integer card) -> risk(request, card));
    return request.choices().stream().min(byRisk.thenComparing(Comparator.reverseOrder())).orElseThrow();
  }

  /** Picks the row that costs least, cow jumps included; of equals the longest, which is the next to be full. */
  private static int row(Request request) {
    var byCost = Comparator.comparing((Integer row) -> request.costs().get(row));
    var longest = Comparator.comparing((Integer row) -> -request.rows().get(row).size());
    return request.choices().stream().min(byCost.thenComparing(longest)).orElseThrow();
  }

  /** Picks the card nearest to the middle of the deck, since both extremes are hard to play. */
  private static int draft(Request request) {
    var toMiddle = Comparator.comparing((Integer card) -> Math.abs(2 * card - request.highestCard()));
    return request.choices().stream().min(toMiddle).orElseThrow();
  }

  /** Returns the bullheads that a card puts at risk: all of its row if the crowd fills it, a part if it may. */
  static double risk(Request request, int card) {
    int row = rowFor(request, card);
    if (row < 0) {
      return request.bullheads().stream().min(Comparator.naturalOrder()).orElseThrow();
    }
    int room = ROW_LIMIT - request.rows().get(row).size() - (row == request.cow() ? 1 : 0);
    if (room <= 0) {
      return request.bullheads().get(row);
    }
    double filled = Math.min(1, crowd(request, end(request, row), card) / room);
    return filled * filled * (request.bullheads().get(row) + room);
  }

  /** Returns the row that a card goes to, the one with the highest end below it; -1 if it is too low. */
  static int rowFor(Request request, int card) {
    return IntStream.range(0, request.rows().size())
        .filter(row -> end(request, row) < card)
        .boxed()
        .max(Comparator.comparing(row -> end(request, row)))
        .orElse(-1);
  }

  /** Returns how many cards the opponents are expected to play between two cards, each any hidden one alike. */
  private static double crowd(Request request, int end, int card) {
    var hidden = request.hidden();
    long between = hidden.stream().filter(other -> end < other && other < card).count();
    return hidden.isEmpty() ? 0 : (double) between * (request.players() - 1) / hidden.size();
  }

  private static int end(Request request, int row) {
    var cards = request.rows().get(row);
    return cards.get(cards.size() - 1);
  }
}
