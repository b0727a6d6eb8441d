import { describe, expect, it } from "vitest"
import { addressed } from "../../../../../packages/web/src/features/team/conversation/recipient.ts"

describe("a message to a team", () => {
  const workers = [{ name: "Ada" }, { name: "Ada Two" }]

  it.each([
    ["Hello", { to: "coordinator", message: "Hello" }],
    ["@ada look here", { to: "Ada", message: "look here" }],
    ["@Ada Two  look", { to: "Ada Two", message: "look" }],
    ["@all stop", { to: "all", message: "stop" }],
    ["@Adam hello", { to: "coordinator", message: "@Adam hello" }],
  ])("%j goes to whom it names", (draft, expected) => {
    expect(addressed(draft, workers)).toEqual(expected)
  })
})
