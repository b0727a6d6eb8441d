import { mkdirSync, writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { agents } from "./agents.ts"
import { append } from "./append.ts"
import { bundles } from "./bundles.ts"
import { chatCache } from "./chat-cache.ts"
import { checks } from "./checks.ts"
import { codeMap } from "./code-map.ts"
import { dayOfEight } from "./day-of-eight.ts"
import { decide } from "./decide.ts"
import { eightAgents } from "./eight-agents.ts"
import { firstToken } from "./first-token.ts"
import { furtherSession } from "./further-session.ts"
import { gitStart } from "./git-start.ts"
import { idleStream } from "./idle-stream.ts"
import { idleTeam } from "./idle-team.ts"
import { limits } from "./limits.ts"
import { manyFiles } from "./many-files.ts"
import { manyRuns } from "./many-runs.ts"
import type { Question } from "./measure.ts"
import { memory } from "./memory.ts"
import { nineFiles } from "./nine-files.ts"
import { questions as agentQuestions } from "./questions.ts"
import { rankFiles } from "./rank-files.ts"
import { readers } from "./readers.ts"
import { replay } from "./replay.ts"
import { silentSessions } from "./silent-sessions.ts"
import { start } from "./start.ts"
import { studio } from "./studio.ts"
import { studioBoard } from "./studio-board.ts"
import { studioChat } from "./studio-chat.ts"
import { studioTeam } from "./studio-team.ts"
import { studioTree } from "./studio-tree.ts"
import { failure, table } from "./table.ts"
import { workflow } from "./workflow.ts"
import { workspace } from "./workspace.ts"
import { writeUnits } from "./write-units.ts"

const questions: Record<string, Question> = {
  append,
  "write-units": writeUnits,
  replay,
  readers,
  decide,
  "many-runs": manyRuns,
  workflow,
  "nine-files": nineFiles,
  workspace,
  memory,
  start,
  bundles,
  checks,
  "idle-stream": idleStream,
  "idle-team": idleTeam,
  studio,
  "studio-board": studioBoard,
  "studio-chat": studioChat,
  "studio-team": studioTeam,
  "studio-tree": studioTree,
  agents,
  "git-start": gitStart,
  "eight-agents": eightAgents,
  "further-session": furtherSession,
  "silent-sessions": silentSessions,
  "day-of-eight": dayOfEight,
  questions: agentQuestions,
  limits,
  "many-files": manyFiles,
  "chat-cache": chatCache,
  "code-map": codeMap,
  "rank-files": rankFiles,
  "first-token": firstToken,
}

const results = new URL("results/", import.meta.url)

/** Answers the named questions, or all: `npm run bench -- append decide`. */
async function main(names: string[]): Promise<void> {
  const unknown = names.filter((name) => !(name in questions))
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(", ")}. There are ${Object.keys(questions).join(", ")}.`)
  mkdirSync(results, { recursive: true })
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, load ${load()}\n`)

  const failures: string[] = []
  for (const [name, question] of Object.entries(questions)) {
    if (names.length > 0 && !names.includes(name)) continue
    console.log(`## ${name}: ${question.asks}\n`)
    const lines = await question.answer()
    console.log(`${table(lines)}\n`)
    const result = { name, asks: question.asks, at: new Date().toISOString(), load: load(), lines }
    writeFileSync(new URL(`${name}.json`, results), `${JSON.stringify(result, null, 2)}\n`)
    failures.push(...lines.flatMap((line) => failure(line) ?? []).map((why) => `${name}: ${why}`))
  }
  for (const why of failures) console.error(`FAILED ${why}`)
  if (failures.length > 0) process.exitCode = 1
}

function load(): string {
  return loadavg()
    .map((average) => average.toFixed(1))
    .join(" ")
}

await main(process.argv.slice(2))
