import { expect, it } from "vitest"
import { createCommands, distinct } from "../../../../packages/web/src/session/context/command-registry.ts"

function setUp() {
  const ran: string[] = []
  const commands = createCommands()
  const register = (id: string, title: string) => commands.register({ id, title, run: () => ran.push(title) })
  return { ran, commands, register }
}

it("runs the command of the newest screen that has it, and of the one below once that is gone", () => {
  const { ran, commands, register } = setUp()
  register("run", "outer")
  const leave = register("run", "inner")
  expect(commands.run("run")).toBe(true)
  leave()
  expect(commands.run("run")).toBe(true)
  expect(ran).toEqual(["inner", "outer"])
})

it("says that it has no command where no screen has it", () => {
  const { commands, register } = setUp()
  register("run", "Run")()
  expect(commands.run("run")).toBe(false)
  expect(distinct(commands.mounted.getState())).toEqual([])
})

it("lists each command once, as it would be run", () => {
  const { commands, register } = setUp()
  register("run", "outer")
  register("stop", "Stop")
  register("run", "inner")
  expect(distinct(commands.mounted.getState()).map(({ id, title }) => [id, title])).toEqual([
    ["run", "inner"],
    ["stop", "Stop"],
  ])
})

it("has letters turned off until everything that did so has let go", () => {
  const { commands } = setUp()
  const [first, second] = [commands.holdLetters(), commands.holdLetters()]
  first()
  expect(commands.letterHolds.getState()).toBe(1)
  second()
  expect(commands.letterHolds.getState()).toBe(0)
})
