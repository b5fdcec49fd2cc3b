/** A tournament as the referee shows it, loaded anew whenever its log grows. */
import { call, follow, isPublished, useEffect, useLoaded, useState } from "./frame.mjs";
import { loadPublished } from "./source.mjs";

const PAUSE_MS = 1_000;

/**
 * The tournament, what went wrong, and whether word of changes arrives.
 *
 * @param pause is for how many milliseconds it waits for more changes: that at least, and
 * at most twice as many
 */
export function useTournament(name, pause = PAUSE_MS) {
  const [isUp, tell] = useState(null);
  const path = `/v1/tournaments/${encodeURIComponent(name)}`;
  const loaded = useLoaded(
    async (signal) =>
      isPublished ? loadPublished() : (await call(path, undefined, signal)).tournament,
    [name],
  );
  const isThere = loaded.value !== undefined;
  useEffect(() => {
    if (isPublished || !isThere) return undefined;
    const ended = new AbortController();
    let timer = null;
    // Many entries come at once; the tournament is asked for once after them, and not
    // by everybody who looks on at the same moment.
    const take = () => {
      timer ??= setTimeout(
        () => {
          timer = null;
          loaded.again();
        },
        pause * (1 + Math.random()),
      );
    };
    const from = `${path}:watch?cursor=${loaded.value.version ?? 0}`;
    follow(from, take, tell, ended.signal).catch(() => tell(false));
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [name, isThere]);
  return { ...loaded, isUp: loaded.error ? false : isUp };
}
