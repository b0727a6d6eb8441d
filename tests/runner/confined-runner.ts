import { runRunner } from "../../packages/runner/src/run.ts"
import { confineStores } from "../fixtures/confined-stores.ts"

// `CONFINED_TO` is the session whose keys it may use, if not its own. The runner's own program, with stores that refuse what is not its session's: each refusal is printed, however it is handled.

function refuse(use: string): never {
  console.error(`Outside the session: ${use}`)
  throw new Error(`Outside the session: ${use}`)
}

await runRunner(process.env, {
  wrapHost: (host) => ({ ...host, ...confineStores(host, process.env.CONFINED_TO ?? host.sid, refuse) }),
})
process.exit(0)
