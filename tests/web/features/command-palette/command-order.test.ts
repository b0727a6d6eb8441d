import { expect, it } from "vitest"
import {
  inOrder,
  recentCommands,
  rememberCommand,
} from "../../../../packages/web/src/features/command-palette/command-order.ts"

const commands = ["help", "next-region", "new-session", "delete-session", "chat-map", "stop", "run"].map((id) => ({
  ...{ id, title: id, run: () => undefined },
}))
const order = (recent: string[]) => inOrder(commands, recent).map(({ id }) => id)

it("begins with what a screen is for, and ends with what is rare or deletes something", () => {
  const usual = ["run", "stop", "chat-map", "new-session", "help", "next-region", "delete-session"]
  expect(order([])).toEqual(usual)
  // An unavailable command isn't listed, however recently it was used.
  expect(order(["help", "go-chat", "chat-map"])).toEqual([
    ...["help", "chat-map"],
    ...usual.filter((id) => !["help", "chat-map"].includes(id)),
  ])
})

it("remembers the last three commands, newest first", () => {
  const texts = new Map<string, string>()
  const storage = {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: texts.set.bind(texts),
  } as never as Storage
  expect(recentCommands(storage)).toEqual([])
  for (const id of ["run", "help", "run", "stop", "theme"]) rememberCommand(storage, id)
  expect(recentCommands(storage)).toEqual(["theme", "stop", "run"])
})
