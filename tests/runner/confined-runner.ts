import { runRunner } from "../../packages/runner/src/run.ts"
import { confineStores } from "../fixtures/confined-stores.ts"

// The runner's own program, with stores that print and refuse each access outside its session. `CONFINED_TO` names the
// allowed session, if it isn't the runner's own.

function refuse(use: string): never {
  console.error(`Outside the session: ${use}`)
  throw new Error(`Outside the session: ${use}`)
}

await runRunner(process.env, {
  wrapHost: (host) => ({ ...host, ...confineStores(host, process.env.CONFINED_TO ?? host.sid, refuse) }),
})
process.exit(0)
