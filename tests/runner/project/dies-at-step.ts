import childProcess from "node:child_process"
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { StatementSync } from "node:sqlite"

// Loaded into a runner before anything else. The runner kills itself before step `DIE_AT`, or its three steps from
// `FAIL_AT` on fail. Steps are starts of programs, changes of files, and the moments before and after a change of the
// log. With `FROM`, the count starts at the first step whose arguments contain that text.
const { DIE_AT = "0", FAIL_AT = "0", FROM = "" } = process.env
const FAILS = 3

let steps = 0
let isCounting = FROM === ""
function step(args: unknown[]): void {
  isCounting ||= args.flat().some((one) => String(one).includes(FROM))
  if (!isCounting) return
  steps++
  if (steps === Number(DIE_AT)) process.kill(process.pid, "SIGKILL")
  const past = steps - Number(FAIL_AT)
  if (Number(FAIL_AT) > 0 && past >= 0 && past < FAILS) throw Object.assign(new Error("Made to fail."), { code: "EIO" })
}

for (const name of ["rename", "link", "unlink", "writeFile", "rmdir", "rm", "mkdir"] as const) {
  const real = fs[name] as (...args: unknown[]) => Promise<unknown>
  Object.assign(fs, {
    [name]: async (...args: unknown[]) => {
      step(args)
      return real(...args)
    },
  })
}

const { spawn } = childProcess
Object.assign(childProcess, {
  spawn: (...args: Parameters<typeof spawn>) => {
    // Without Perl, this process starts each program itself, so that a start is a step.
    if (args[0] === "perl" && String(args[1]).includes("sy-spawner")) throw new Error("There is no Perl.")
    step(args)
    return spawn(...args)
  },
})
syncBuiltinESMExports()

const all = StatementSync.prototype.all as (...args: unknown[]) => ReturnType<StatementSync["all"]>
Object.assign(StatementSync.prototype, {
  all(this: StatementSync, ...args: unknown[]) {
    const put = /^\s*INSERT/i.test(this.sourceSQL) ? [JSON.stringify(args)] : undefined
    if (put) step(put)
    const rows = all.apply(this, args)
    if (put) step(put)
    return rows
  },
})
