import { spawn } from "node:child_process"
import { once } from "node:events"
import { createGit } from "@switchyard/runner/git/plumbing/create-git"
import { compared, cpuTimed, type Question, sideBySide } from "./measure.ts"
import { signal } from "./stage.ts"

const CALLS = 50
const MEGABYTES = 300

export const gitStart: Question = {
  asks: `What does it cost a process of ${MEGABYTES} MB to start git?`,
  async answer() {
    const memory = Buffer.alloc(MEGABYTES * 1024 * 1024, 1)
    const env = { PATH: process.env.PATH ?? "" }
    const git = createGit({ env })
    const time = await sideBySide(
      () => perCall(() => git(["--version"], { cwd: "/", signal })),
      () => perCall(() => once(spawn("git", ["--version"], { cwd: "/", env, stdio: "pipe" }), "close")),
      { rounds: 5 },
    )
    return [
      compared(
        `processor time of this process for a git call, beside ${memory.length >> 20} MB`,
        "ms",
        "forking here",
        time,
        { of: "ratio", atMost: 0.5 },
      ),
    ]
  },
}

async function perCall(call: () => Promise<unknown>): Promise<number> {
  const spent = await cpuTimed(async () => {
    for (let count = 0; count < CALLS; count++) await call()
  })
  return spent / CALLS
}
