/** The score sheet, added up from the rounds. */

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** The empty sheet of a match. */
export function openSheet(rules, seats) {
  const game = () => ({
    entries: seats.map(() => []),
    winner: null,
    closed_in_round: null,
  });
  return { games: Array.from({ length: rules.games }, game), wins: seats.map(() => 0) };
}

const isOpen = (game) => game.closed_in_round === null;
const totals = (game) =>
  game.entries.map((column) => sum(column.map(([, points]) => points)));

/** Positions of the games that a seat's next win enters. */
function nextColumns(sheet, rules, seat) {
  const columns = [];
  for (const [at, game] of sheet.games.entries()) {
    if (rules.closed_policy === "ordinal" && at > sheet.wins[seat]) break;
    if (!isOpen(game)) continue;
    columns.push(at);
    const isFirst = game.entries[seat].length === 0;
    if (rules.closed_policy === "next_open" && isFirst) break;
  }
  return columns;
}

/**
 * Enter a won round and close the games that reach their target.
 *
 * @param scorers positions of the seats that are credited, the winner first
 * @returns the positions of the games that it entered
 */
export function enter(sheet, rules, scorers, points, number) {
  const columns = nextColumns(sheet, rules, scorers[0]);
  for (const at of columns) {
    const game = sheet.games[at];
    for (const seat of scorers) game.entries[seat].push([number, points]);
    if (rules.boards !== null) continue;
    const reached = totals(game);
    const best = scorers.reduce((a, b) => (reached[b] > reached[a] ? b : a));
    if (reached[best] >= rules.game_target) close(game, rules, best, number);
  }
  for (const seat of scorers) sheet.wins[seat] += 1;
  return columns;
}

function close(game, rules, winner, number) {
  game.winner = winner;
  game.closed_in_round = number;
  const bonuses = rules.game_bonus || rules.line_bonus || rules.shutout !== "none";
  if (bonuses || rules.table !== "two_handed") {
    game.settlement = settle(rules, winner, game);
  }
}

/** What a closed game is worth between the seats. */
function settle(rules, winner, game) {
  const boxes = game.entries.map((column) => column.length);
  const isShutout = boxes.includes(0);
  const points = totals(game);
  const lines = boxes.map((count) => count * rules.line_bonus);
  const bonus = points.map((_, seat) => (seat === winner ? rules.game_bonus : 0));
  const twice = (which) => (isShutout && rules.shutout === which ? 2 : 1);
  const settled = points.map((own, seat) => {
    const game_bonus = bonus[seat] * twice("double_game_bonus");
    const total = own + game_bonus + lines[seat];
    return seat === winner ? total * twice("double_total") : total;
  });
  const balances = settled.map((total) => settled.length * total - sum(settled));
  for (const [seat, count] of boxes.entries()) {
    if (count > 0) continue;
    balances[seat] -= rules.shutout_bonus;
    balances[winner] += rules.shutout_bonus;
  }
  return { totals: settled, balances };
}

/** Close the one game of a match of boards: more points win, equal ones nothing. */
export function closeBoards(sheet, number) {
  const [game] = sheet.games;
  game.winner = leader(sheet);
  game.closed_in_round = number;
}

/** Give every open game to a seat: all others have forfeited. */
export function giveAway(sheet, winner, number) {
  for (const game of sheet.games.filter(isOpen)) {
    game.winner = winner;
    game.closed_in_round = number;
  }
}

const gamesWon = (sheet) =>
  sheet.wins.map((_, seat) => sheet.games.filter((g) => g.winner === seat).length);
const allPoints = (sheet) =>
  sheet.wins.map((_, seat) => sum(sheet.games.map((game) => totals(game)[seat])));

/** The seat that has won more than half of the games. */
export function majority(sheet) {
  const at = gamesWon(sheet).findIndex((won) => won > sheet.games.length / 2);
  return at < 0 ? null : at;
}

/** Say whether the match takes no more rounds. */
export function isOver(sheet, rules) {
  if (rules.stop === "majority") return majority(sheet) !== null;
  return !sheet.games.some(isOpen);
}

/** The one seat with most games and, between equals, most points; or null. */
export function leader(sheet) {
  const won = gamesWon(sheet);
  return most([...sheet.wins.keys()], (seat) => won[seat] * 1e9 + allPoints(sheet)[seat]);
}

/** The one seat with most points; or null. */
export function ahead(sheet, among) {
  return most(among, (seat) => allPoints(sheet)[seat]);
}

function most(seats, worth) {
  const best = Math.max(...seats.map(worth));
  const leaders = seats.filter((seat) => worth(seat) === best);
  return leaders.length === 1 ? leaders[0] : null;
}

/** The sheet as a record tells it. */
export function tellSheet(sheet, seats) {
  const name = (seat) => (seat === null ? null : seats[seat]);
  return {
    games: sheet.games.map((game) => ({
      ...game,
      totals: totals(game),
      winner: name(game.winner),
    })),
    wins: sheet.wins,
    games_won: gamesWon(sheet),
    points: allPoints(sheet),
  };
}
