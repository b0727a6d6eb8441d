import { setTimeout as delay } from "node:timers/promises"
import { createPlace, openStore, type RealStore } from "./place.ts"
import type { Faults } from "./records.ts"
import { type Cast, cast } from "./simulate.ts"

// One of several processes that share sessions. It plays rounds until it receives "leave" or is killed.

export interface Round {
  sid: string
  seed: number
  roles: Cast
  faults: Faults
}

const records = openStore(JSON.parse(process.argv[2] ?? "") as RealStore)
const told = createInbox()

process.send?.("ready")
for (;;) {
  const round = (await told()) as Round | "leave"
  if (round === "leave") break
  const { world, isQuiet } = createPlace(records, round)
  cast(world, round.roles, `.${process.pid}`)
  while (!isQuiet()) await delay(5)
  process.send?.("quiet")
  world.finalHead = (await told()) as number
  while (world.watching() > 0) await delay(5)
  const { attempts, decisions, readings, states, finalHead } = world
  process.send?.({ attempts, decisions, readings, states, finalHead })
}
records.close()
process.disconnect()

function createInbox(): () => Promise<unknown> {
  const messages: unknown[] = []
  let wake = () => {}
  process.on("message", (message) => {
    messages.push(message)
    wake()
  })
  return async () => {
    while (messages.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return messages.shift()
  }
}
