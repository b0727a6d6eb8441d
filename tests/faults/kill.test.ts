import type { Run } from "@switchyard/core/work/runs/schema"
import { beforeAll, describe, expect, it } from "vitest"
import type { Turn } from "../fixtures/model-server/script.ts"
import { startModelServer } from "../fixtures/model-server/server.ts"
import type { ServerFaults } from "../fixtures/server-process.ts"
import { cases } from "../settings.ts"
import { follow, streams } from "./event-stream.ts"
import { call, postRun } from "./http.ts"
import { endsOf, eventFrames, expectSound, type Ledger, readLedger, stepsOf } from "./ledger.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./processes.ts"
import { FILES, MODEL, projectTurn, stepOf, subjectOf, WHOLE } from "./project.ts"
import { seeded, turns } from "./random.ts"
import { createSuccession } from "./succession.ts"

/** An instant at which a server process is killed. Each kind counts from the start of that process. */
type Kill =
  | ({ at: "write" } & NonNullable<ServerFaults["dieAt"]>)
  | { at: "commit"; commit: number }
  | { at: "answer"; request: number; afterFrames: number; turns: number }
  | { at: "event"; event: number; turns: number }

const SESSION = "killed"
const STORIES = cases({ usual: 2, deep: 20 })

/** Number of writes by a server that runs undisturbed from beginning to end. */
let peacefulWrites = 0
beforeAll(async () => {
  peacefulWrites = (await live([])).writes ?? 0
})

let killedAmid = 0

describe("a server that is killed twice in one run of seven files", () => {
  it.concurrent.each(Array.from({ length: STORIES }, (_, seed) => seed))(
    "leaves a run that ends by itself, with nothing lost, doubled or redone (seed %i)",
    async (seed) => {
      const kills = killsOf(seed)
      const where = `seed ${seed}: ${JSON.stringify(kills)}`
      const { run, frames, deaths, requests, ledger } = await live(kills)

      expectSound(ledger, where)
      expect(ledger.files, where).toEqual(WHOLE)
      expect(stepsOf(ledger.events), where).toEqual(FILES.map(stepOf))
      expect(endsOf(ledger.events, run.run_id), where).toMatchObject([{ type: "run_completed" }])
      expect(run, where).toMatchObject({ status: "completed", workspace_version: FILES.length })
      expect(frames, where).toEqual(eventFrames(ledger.events, run.run_id, SESSION))
      const starts = ledger.events.filter(({ type }) => type === "run_relaunched" || type === "run_claimed")
      expect(starts.length, where).toBeLessThanOrEqual(2 * kills.length + 1)
      for (const death of deaths) {
        if (death.events.length > 0 && endsOf(death.events, run.run_id).length === 0) killedAmid++
        const again = requests.slice(death.requests).map(subjectOf)
        expect(again.filter((subject) => isDone(death, subject))).toEqual([])
        // The log still has everything that it had when the process died.
        expect(ledger.events.slice(0, death.events.length), where).toEqual(death.events)
      }
    },
  )

  it("is nearly always in the middle of it", () => {
    expect(killedAmid).toBeGreaterThanOrEqual(STORIES * 1.5)
  })
})

function isDone({ events }: Ledger, subject: string): boolean {
  const finished = (node: string) => events.some((event) => event.type === "node_finished" && event.node === node)
  if (subject === "plan") return finished("planner")
  if (subject === "task_plan") return finished("architect")
  return stepsOf(events).includes(stepOf(subject))
}

/**
 * In every third story, the first kill comes right after a commit, from the first commit to the last. In the others,
 * the seeds spread the first kill evenly over the run. The second kill comes in the rest of the run.
 */
function killsOf(seed: number): Kill[] {
  const random = seeded(seed)
  const place = (seed + random.next()) / STORIES
  const commit = seed % 3 === 0 ? 1 + Math.round((seed / (STORIES - 1)) * (FILES.length - 1)) : undefined
  if (commit === undefined) return [killAt(place), killAt((1 - place) * random.next())]
  return [{ at: "commit", commit }, killAt((1 - commit / FILES.length) * random.next())]

  function killAt(place: number): Kill {
    const kind = random.pick(["write", "write", "write", "answer", "event"] as const)
    const among = (count: number) => 1 + Math.floor(place * count)
    if (kind === "write") {
      return { at: "write", write: among(peacefulWrites), when: random.pick(["before", "amid", "after"]) }
    }
    // Two requests for the plans, and one for each file.
    if (kind === "answer") {
      const request = among(2 + FILES.length)
      return { at: "answer", request, afterFrames: random.between(0, 8), turns: random.between(0, 30) }
    }
    return { at: "event", event: among(60), turns: random.between(0, 30) }
  }
}

function faultsOf(kill: Kill): ServerFaults {
  if (kill.at === "write") return { dieAt: kill }
  return kill.at === "commit" ? { dieAfterCommit: kill.commit } : {}
}

/** Plays one run on a server that is killed at each of these instants and started again. */
async function live(kills: Kill[]) {
  await using folder = await temporaryFolder()
  const succession = createSuccession()
  const deaths: (Ledger & { requests: number })[] = []
  let now: { server?: ServerProcess; kill?: Kill; requests: number; frames: number } = { requests: 0, frames: 0 }
  let over = false

  const killAfter = async (count: number) => {
    const { server } = now
    await turns(count)
    server?.kill("SIGKILL")
  }
  const models = await startModelServer((request): Turn => {
    now.requests++
    const turn = projectTurn(request)
    if (now.kill?.at !== "answer" || now.requests !== now.kill.request) return turn
    void killAfter(now.kill.turns)
    return { ...turn, fault: { kind: "hang", afterFrames: now.kill.afterFrames } }
  })
  const onFrame = () => {
    now.frames++
    if (now.kill?.at === "event" && now.frames === now.kill.event) void killAfter(now.kill.turns)
  }

  async function serve(): Promise<void> {
    for (const kill of [...kills, undefined]) {
      const faults = kill ? faultsOf(kill) : {}
      const server = succession.succeed(startServer(folder.path, models.url, faults))
      now = { server, kill, requests: 0, frames: 0 }
      await server.ended
      deaths.push({ ...(await readLedger(folder.path, SESSION)), requests: models.requests.length })
      if (over) return
      if (!kill) throw new Error(`The last server ended by itself. ${server.output()}`)
    }
  }

  async function use() {
    const request = { session: SESSION, key: "once", model: MODEL }
    const { body } = await succession.ask((url) => postRun(url, request))
    const { path, isLast } = streams.events
    const { frames } = await follow({ url: succession.url, path: path(body.run_id), isLast, onFrame })
    const run = await succession.ask((url) => call<Run>(`${url}/v1/runs/${body.run_id}`))
    return { run: run.body, frames, writes: kills.length === 0 ? await now.server?.writes() : 0 }
  }

  const serving = serve()
  try {
    const told = await Promise.race([use(), serving.then(() => Promise.reject(new Error("Nobody serves any more.")))])
    return { ...told, deaths, requests: models.requests, ledger: await readLedger(folder.path, SESSION) }
  } finally {
    over = true
    // An instant that the run never reached comes after the end.
    now.server?.kill("SIGKILL")
    await serving.catch(() => undefined)
    await models.close()
  }
}
