import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { logName } from "@switchyard/core/kernel/keys"
import { inLiveSession, inOpenSession } from "@switchyard/core/kernel/rules"
import type { Rule, SessionLog } from "@switchyard/core/kernel/session-log"
import { deleteSession } from "@switchyard/core/sessions/rules"
import { createRun } from "@switchyard/core/work/runs/admission"
import { activeRuns } from "@switchyard/core/work/runs/state"
import type { Process } from "./scheduler.ts"
import { type Decision, insist, type World } from "./world.ts"

const STEPS = ["step-1", "step-2"]

/** Creates a run and launches it, sometimes twice. */
export async function starter(world: World, process: Process, mortality: number): Promise<void> {
  const { scheduler } = world
  await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 40) })
  const session = await world.connect(process).open()
  const runId = `run_${process.name}`
  const rule = createRun({
    run_id: runId,
    agent_id: "main",
    kind: "workflow",
    model: "scripted/demo",
    input: { sha256: "0", size_bytes: 0, key: "input" },
  })
  if (!(await decided(world, session, inOpenSession("mine", rule), { tag: runId }))) return
  const launches = scheduler.chance(0.2) ? 2 : 1
  for (let i = 0; i < launches; i++) launch(world, mortality, { runId, generation: 0 })
}

/** A run and the generation of it that a process knows. */
interface Claim {
  runId: string
  generation: number
}

function launch(world: World, mortality: number, seen: Claim): void {
  const name = `exe${world.decisions.length}.${Math.floor(world.scheduler.random() * 2 ** 32)}`
  world.act(name, mortality, (process) => executor(world, process, seen))
}

/** Claims the run, does the remaining steps and ends the run, unless the process loses it. */
async function executor(world: World, process: Process, seen: Claim): Promise<void> {
  const { scheduler, rules } = world
  const { runId } = seen
  const session = await world.connect(process).open()
  const generation = seen.generation + 1
  const claim = { tag: `claim ${process.name}`, exclusive: `${runId} generation ${generation}` }
  if (!(await decided(world, session, rules.claimRun(runId, process.name, seen.generation), claim))) return
  const say = (tag: string, events: NewEvent[]) =>
    decided(world, session, rules.appendAsExecutor(runId, generation, events), { tag })

  for (const step of STEPS) {
    await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 30) })
    const said = `said ${process.name} ${step}`
    if (scheduler.chance(0.7) && !(await say(said, [note(said)]))) break
    if (!(await commitStep(world, session, process, { runId, generation }, step))) break
    if (!scheduler.chance(0.1)) continue
    const handOver = { type: "run_handed_over" as const, run_id: runId, agent_id: "main", generation }
    if (!(await say(`over ${process.name}`, [note(`over ${process.name}`), handOver]))) break
    return launch(world, process.mortality, { runId, generation })
  }
  const rule = rules.endRun(runId, generation, scheduler.now(), { type: "run_completed" })
  await decided(world, session, rule, { tag: `end ${process.name}`, exclusive: `${runId} end ${generation}` })
}

/** Commits the files of a step, unless a process has committed them before. */
async function commitStep(
  world: World,
  session: SessionLog,
  process: Process,
  { runId, generation }: Claim,
  step: string,
): Promise<boolean> {
  const tag = `commit ${process.name} ${step}`
  let done = false
  const rule: Rule = (state) => {
    done = state.runs.byId[runId]?.doneSteps.includes(step) ?? false
    if (done) return []
    const version = state.workspace.version + 1
    const commit = { type: "workspace_committed" as const, version, manifest: tag, changes: [], step }
    return world.rules.appendAsExecutor(runId, generation, [note(`finished ${process.name}`), commit])(state)
  }
  return (await decided(world, session, rule, { tag })) || done
}

/** Presumes all active executors dead, rightly or wrongly, and relaunches their runs. */
export async function sweeper(world: World, process: Process, mortality: number): Promise<void> {
  const { scheduler, rules } = world
  await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 250) })
  const session = await world.connect(process).open()
  for (const run of activeRuns(session.state)) {
    const rule = rules.relaunchRun(run, `swept by ${process.name}`, scheduler.now())
    const events = await insist(() => session.decide(rule, { signal: new AbortController().signal }))
    if (events[0]?.type === "run_relaunched") launch(world, mortality, run)
  }
}

export async function canceller(world: World, process: Process): Promise<void> {
  const { scheduler, rules } = world
  await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 250) })
  const session = await world.connect(process).open()
  for (const { runId } of activeRuns(session.state)) {
    const tag = `cancel ${process.name} ${runId}`
    await decided(world, session, rules.cancelRun(runId, tag, scheduler.now()), { tag, exclusive: `cancel ${runId}` })
  }
}

export async function deleter(world: World, process: Process): Promise<void> {
  await world.scheduler.turn(process, { delay: Math.floor(world.scheduler.random() * 300) })
  const session = await world.connect(process).open()
  await insist(() => session.decide(deleteSession("request"), { signal: new AbortController().signal }))
}

/** Appends events that no other process depends on, and sometimes aborts the call. */
export async function writer(world: World, process: Process): Promise<void> {
  const { scheduler } = world
  const connection = world.connect(process)
  for (let i = 0; i < 2; i++) {
    await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 60) })
    const patience = new AbortController()
    if (scheduler.chance(0.4)) scheduler.later(() => patience.abort(new Error("Out of patience.")))
    const tag = `note ${process.name} ${i}`
    const rule = inLiveSession(() => Array.from({ length: 1 + Math.floor(scheduler.random() * 3) }, () => note(tag)))
    try {
      const session = await connection.open(patience.signal)
      await decided(world, session, rule, { tag, signal: patience.signal })
      // The session remains usable after an aborted call.
      if (patience.signal.aborted) await decided(world, session, rule, { tag: `${tag} again` })
    } catch (error) {
      if (!patience.signal.aborted) throw error
    }
  }
}

/** Follows the log from a random position, is cut off at random, and resumes after the last event it saw. */
export async function reader(world: World, process: Process): Promise<void> {
  const { scheduler } = world
  const { log } = world.connect(process)
  let since = scheduler.chance(0.5) ? 0 : Math.floor(scheduler.random() * 6)
  const arrived = () => world.finalHead !== undefined && since >= world.finalHead
  while (!arrived()) {
    const reading = { since, events: [] as World["readings"][number]["events"] }
    world.readings.push(reading)
    const cut = new AbortController()
    if (scheduler.chance(0.3)) scheduler.later(() => cut.abort(new Error("Cut off.")))
    let left = scheduler.chance(0.5) ? 1 + Math.floor(scheduler.random() * 6) : Number.POSITIVE_INFINITY
    try {
      const stream = scheduler.chance(0.3)
        ? log.read(logName(world.sid), since, { signal: cut.signal })
        : log.tail(logName(world.sid), since, { signal: cut.signal, heartbeatMs: 30 })
      for await (const event of stream) {
        if (event.type !== "heartbeat") {
          reading.events.push(event)
          since = event.seq
          left--
        }
        if (left <= 0 || arrived()) break
      }
    } catch (error) {
      if (isAppError(error, "resync")) since = 0
      else if (!cut.signal.aborted && !isAppError(error, "storage_unavailable")) throw error
    }
    await scheduler.turn(process, { delay: Math.floor(scheduler.random() * 10) })
  }
}

/** Resolves to true if the decision was made. A refusal counts as not made. */
async function decided(
  world: World,
  session: SessionLog,
  rule: Rule,
  { signal = new AbortController().signal, ...question }: { tag: string; exclusive?: string; signal?: AbortSignal },
): Promise<boolean> {
  const decision: Decision = { ...question, told: "nothing" }
  world.decisions.push(decision)
  try {
    const events = await insist(() => session.decide(rule, { signal }))
    decision.told = events.length > 0 ? "made" : "not made"
  } catch (error) {
    if (!REFUSALS.some((code) => isAppError(error, code))) throw error
    decision.told = "not made"
  }
  return decision.told === "made"
}

const REFUSALS = ["run_active", "run_superseded", "run_cancelled", "run_not_found", "session_deleted"] as const

function note(text: string): NewEvent {
  // The fold ignores this unknown type, except that it moves the head.
  return { type: "note", text } as unknown as NewEvent
}
