// Which views there are, and where they stand.

import { Deck } from "../deck.js";
import { BuffersView } from "./buffers.js";
import { CodeView } from "./code.js";
import { FilmstripView } from "./filmstrip.js";
import { NetworkView } from "./network.js";
import { RankView } from "./rank.js";
import { SpaceTimeView } from "./spacetime.js";
import { WordsView } from "./words.js";

/**
 * @param {import("../stage.js").Stage} stage @param {boolean} two two traces side by side
 * @returns {Deck[]}
 */
export function decksFor(stage, two) {
  const changed = (/** @type {Deck} */ deck) => {
    stage.buildDeck(deck);
    stage.publisher.soon();
  };
  const deck = (/** @type {string} */ place, /** @type {import("./view.js").View[]} */ views) => {
    const made = new Deck(place, views, () => changed(made));
    return made;
  };
  const rank = new RankView((focus) => stage.lookAs(focus));
  const words = new WordsView((form) => {
    stage.words = form;
    stage.publisher.soon();
    words.update();
  }, (transfer) => stage.choose({ transfer }));
  const below = deck("below", [new SpaceTimeView(), new FilmstripView()]);
  if (!two) return [deck("left", [new NetworkView()]), deck("right", [new BuffersView(), rank, new CodeView(), words]), below];
  const [network, buffers] = [new NetworkView("network2", "Network"), new BuffersView("buffers2", "Buffers")];
  network.lane = buffers.lane = 1;
  return [deck("left", [new NetworkView(), new BuffersView(), rank, words]), deck("right", [network, buffers]), below];
}
