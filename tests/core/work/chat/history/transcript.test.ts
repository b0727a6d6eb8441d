import { type ChatEvent, foldChat } from "@switchyard/core/work/chat/history/transcript"
import { describe, expect, it } from "vitest"

const at = (seq: number) => ({ seq, ts: "", event_id: "", chat_id: "c" })
const asked = (seq: number) =>
  ({
    ...at(seq),
    type: "chat_asked",
    request_id: `${seq}`,
    content: `${seq}`,
    files: [],
    images: [],
    mode: "edit",
  }) as unknown as ChatEvent
const rewound = (seq: number, to_seq: number) =>
  ({ ...at(seq), type: "chat_rewound", to_seq, files: false }) as ChatEvent
const contents = (events: ChatEvent[]) => foldChat("c", events).messages.map(({ content }) => content)

describe("a conversation that is rewound", () => {
  it("is what it was at that moment, whatever happened before it and since", () => {
    const events = [
      asked(1),
      asked(3),
      rewound(5, 2),
      asked(6),
      rewound(7, 4),
      asked(9),
      rewound(10, 6),
      rewound(11, 0),
    ]
    const after = events.map((_, n) => contents(events.slice(0, n + 1)).join())
    expect(after).toEqual(["1", "1,3", "1", "1,6", "1,3", "1,3,9", "1,6", ""])
    expect(foldChat("c", events).branches.map(({ preview }) => preview)).toEqual(["3", "6", "3", "1"])
  })

  it("very often is read in the time of its events, not in twice as much for each", () => {
    const events = Array.from({ length: 400 }, (_, n) => [
      asked(3 * n + 1),
      asked(3 * n + 2),
      rewound(3 * n + 3, 3 * n + 1),
    ])
    expect(contents(events.flat())).toHaveLength(400)
  })
})
