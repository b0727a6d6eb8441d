import { type StudioEvent, toEvent } from "../../../../packages/web/src/session/stream/event.ts"

export type Told = [type: string, fields: object]

/** A part of the studio's view after these events of a log. */
export function foldOf<View>(reduce: (view: View, event: StudioEvent) => View, initial: View) {
  return (...events: Told[]): View =>
    events
      .map(([type, fields], index) =>
        toEvent({ seq: index + 1, event_id: `evt_${index}`, ts: "2026-01-02T03:04:05.000Z", type, ...fields }),
      )
      .reduce(reduce, initial)
}
