import { type StudioEvent, toEvent } from "../../../../packages/web/src/session/stream/event.ts"

export type Told = [type: string, fields: object]

/** Returns a function that folds the events of a log into a part of the studio's view. */
export function foldOf<View>(reduce: (view: View, event: StudioEvent) => View, initial: View) {
  return (...events: Told[]): View =>
    events
      .map(([type, fields], index) =>
        toEvent({ seq: index + 1, event_id: `evt_${index}`, ts: "2026-01-02T03:04:05.000Z", type, ...fields }),
      )
      .reduce(reduce, initial)
}
