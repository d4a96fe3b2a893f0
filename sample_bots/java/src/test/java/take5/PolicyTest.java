package take5;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyTest {
  private static final List<List<Integer>> ROWS =
      List.of(List.of(10), List.of(30, 31), List.of(50), List.of(70, 71, 72, 73, 74));

  /** A request of three players who have seen nothing but the rows. */
  private static Request request(String type, int cow, List<Integer> hand, List<Integer> choices) {
    var seen = List.of(10, 30, 31, 50, 70, 71, 72, 73, 74);
    return new Request(type, 1, 104, 3, ROWS, List.of(3, 4, 3, 6), List.of(3, 4, 2, 2), cow, seen, hand, choices);
  }

  private static int card(Integer... hand) {
    return Policy.choose(request("choose_card", -1, List.of(hand), List.of(hand)));
  }

  @Test
  void aCardGoesBehindTheHighestEndBelowIt() {
    var request = request("choose_card", -1, List.of(9), List.of(9));

    assertEquals(-1, Policy.rowFor(request, 9));
    assertEquals(0, Policy.rowFor(request, 11));
    assertEquals(3, Policy.rowFor(request, 75));
  }

  @Test
  void aCloseFitIsBetterThanAFullRowOrATooLowCard() {
    assertEquals(32, card(5, 32, 99));
  }

  @Test
  void ofEqualRisksTheHighestCardIsPlayed() {
    assertEquals(51, card(11, 32, 51));
  }

  @Test
  void theCowTakesUpRoom() {
    // Four hidden cards, 32 to 35, may come between; with the cow only two cards may, else three.
    double without = Policy.risk(request("choose_card", -1, List.of(36), List.of(36)), 36);
    double with = Policy.risk(request("choose_card", 1, List.of(36), List.of(36)), 36);

    // The crowd is 4 of the 94 hidden cards, times two opponents.
    double crowd = 8.0 / 94;
    assertEquals(crowd / 3 * crowd / 3 * 7, without, 1e-9);
    assertEquals(crowd / 2 * crowd / 2 * 6, with, 1e-9);
  }

  @Test
  void theCheapestRowIsTakenAndOfEqualsTheLongest() {
    assertEquals(3, Policy.choose(request("choose_row", -1, List.of(), List.of(0, 1, 2, 3))));
  }

  @Test
  void theMiddleOfThePoolIsDrafted() {
    assertEquals(50, Policy.choose(request("choose_draft", -1, List.of(), List.of(1, 50, 57, 104))));
  }
}
