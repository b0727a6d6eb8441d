import { expect, it } from "vitest"
import { filtered } from "../../../../../packages/web/src/features/team/conversation/message-filter.ts"

const message = (seq: number, from: string, to: string, kind: "goal" | "message" | "suggestion" = "message") => ({
  ...{ seq, ts: "2026-01-01T00:00:00Z", content: "", from, to, kind },
})
const messages = [
  message(1, "human", "coordinator", "goal"),
  message(2, "wkr_1", "coordinator", "suggestion"),
  message(3, "coordinator", "wkr_2"),
  message(4, "wkr_2", "all"),
]
const seqs = (member: string, kind: "" | "message" | "suggestion") =>
  filtered(messages, { member, kind }).map(({ seq }) => seq)

it("shows of the messages what a member wrote, and what is for it or for everybody", () => {
  expect(seqs("", "")).toEqual([1, 2, 3, 4])
  expect(seqs("wkr_1", "")).toEqual([2, 4])
  expect(seqs("wkr_2", "message")).toEqual([3, 4])
  expect(seqs("", "suggestion")).toEqual([2])
  expect(seqs("human", "suggestion")).toEqual([])
})
