import { execFileSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { itDeep } from "../depth.ts"
import { needs } from "../needs.ts"
import { type Depot, openDepot } from "../runner/runner-process.ts"
import { ended, env, isRoot, openPassable, scripted, tried, uidIn, worktreeOf } from "./agent.ts"

// Attempts by an agent's program on another agent that is at work.

if (!isRoot) console.log("Skipped: what agents try on one another, which takes a runner that is root.")

const ATTEMPTS = [
  `cat /proc/$PID/environ`,
  `cat /proc/$PID/cwd/secret.txt`,
  `cat /proc/$PID/fd/5`,
  `: </proc/$PID/mem`,
  `echo planted >/proc/$PID/cwd/planted.txt`,
  `ls /proc/$PID/root/`,
  `kill -KILL $PID`,
]

/** Writes an agent program. Its first run is the victim, and its second the attacker. Files synchronize the two. */
function meeting(depot: Depot): { programs: string; pid: () => string; end: () => void } {
  const place = join(depot.folder, "programs/meeting")
  mkdirSync(place, { recursive: true })
  chmodSync(place, 0o777)
  const victim = `echo victims-secret >secret.txt; exec 5<secret.txt
    SECRET=victims-secret sleep 1000 & echo $! >${place}/new && mv ${place}/new ${place}/pid
    until [ -e ${place}/end ]; do sleep 0.05; done; kill $!`
  const attacker = `PID=$(cat ${place}/pid)\n${ATTEMPTS.map((attempt) => `(${attempt}) && echo "succeeded: ${attempt}"`).join("\n")}\ntrue`
  return {
    programs: scripted(depot, `if mkdir ${place}/first 2>&-; then\n${victim}\nelse\n${attacker}\nfi`),
    pid: () => (existsSync(join(place, "pid")) ? readFileSync(join(place, "pid"), "utf8").trim() : ""),
    end: () => writeFileSync(join(place, "end"), ""),
  }
}

const isAlive = (pid: string) => execFileSync("ps", ["-o", "stat=", "-p", pid]).toString().trim()

describe("an agent beside another", needs(isRoot ? undefined : "this user isn't root"), () => {
  it.each(["the same session", "another session, with the same account"])(
    "of %s can't see, reach, signal or trace its processes, and leaves it alone when it ends",
    async (whose) => {
      await using depot = await openPassable()
      await using beside = await openDepot({ beside: depot })
      const other = whose === "the same session" ? depot : beside
      const { programs, pid, end } = meeting(depot)
      const runner = depot.start({ programs: [programs] }, { env })
      runner.run(await depot.create({}, null, { cli: "codex", agentId: "api" }))
      await expect.poll(pid).not.toBe("")
      const since = (await other.events()).length
      const runId = await other.create({}, null, { cli: "codex" })
      const attackers = other === depot ? runner : other.start({ programs: [programs] }, { env })
      attackers.run(runId)
      const { type, seq } = await ended(other, since)
      expect([type, attackers.stderr()]).toEqual(["run_completed", ""])
      const said = readFileSync(join(await worktreeOf(other, "main"), "said.txt"), "utf8")
      expect(said).not.toMatch(/victims-secret|succeeded/)
      expect(said.match(/Permission denied|not permitted|No such file|nonexistent/g)).toHaveLength(ATTEMPTS.length)
      expect(isAlive(pid())).not.toBe("")
      end()
      expect((await ended(depot, other === depot ? seq : 0)).type).toBe("run_completed")
    },
  )

  it("can't close the repository that they share to it", async () => {
    await using depot = await openPassable()
    const commit =
      "git -c user.name=a -c user.email=a@example.org commit -q --allow-empty -m mine && git log --format=%s -1"
    const closing = `umask 077; ${commit}; chmod -R go-rwx "$(git rev-parse --git-common-dir)"`
    expect(await tried(depot, closing)).toBe("mine\n")
    expect(await tried(depot, `id -u; ${commit}`, { agentId: "api" })).toBe(`${uidIn(depot, "api")}\nmine\n`)
  })

  it("gains nothing by a program that runs as root where there is no Perl, but setpriv", async () => {
    await using depot = await openPassable()
    const bin = mkdtempSync("/var/tmp/switchyard-bin-")
    onTestFinished(() => rmSync(bin, { recursive: true }))
    chmodSync(bin, 0o755)
    const needed = ["git", "setpriv", "sh", "cat", "grep", "tty", "sleep", "env", "id", "mkfifo", "ps", "true"]
    for (const name of needed) symlinkSync(execFileSync("which", [name]).toString().trim(), join(bin, name))
    const program = join(bin, "id-as-root")
    copyFileSync("/usr/bin/id", program)
    chmodSync(program, 0o4755)
    const said = await tried(depot, `${program} -u; grep NoNewPrivs /proc/self/status`, { path: bin })
    expect(said).toBe(`${uidIn(depot)}\nNoNewPrivs:\t1\n`)
  })

  itDeep("gains nothing by a program that runs as root, whoever starts it", async () => {
    await using depot = await openPassable()
    mkdirSync(join(depot.folder, "programs"), { recursive: true })
    const program = join(depot.folder, "programs/id-as-root")
    copyFileSync("/usr/bin/id", program)
    chmodSync(program, 0o4755)
    const proof = join(depot.folder, "programs/proof")
    mkdirSync(proof)
    chmodSync(proof, 0o777)
    const filter = `git config filter.trap.clean '${program} -u >>${proof}/uid; cat'; echo '* filter=trap' >.gitattributes`
    await tried(depot, `${filter}; echo x >x`)
    expect(readFileSync(join(proof, "uid"), "utf8")).not.toMatch(/^0$/m)
    const said = await tried(depot, `${program} -u; grep -E 'NoNewPrivs|Cap(Bnd|Prm|Eff)' /proc/self/status`)
    const [uid, ...status] = said.trim().split("\n")
    expect(Number(uid)).toBeGreaterThan(0)
    const none = "0".repeat(16)
    const held = Object.fromEntries(status.map((line) => line.split(/:\s+/)))
    expect(held).toEqual({ CapPrm: none, CapEff: none, CapBnd: none, NoNewPrivs: "1" })
  })
})
