import { cpSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { startUpstream, type Upstream } from "../runner/gateway/upstream.ts"
import type { Depot } from "../runner/runner-process.ts"
import { needsSandbox } from "../runner/sandbox/confined.ts"
import { ended, env, isRoot, openPassable, worktreeOf } from "./agent.ts"
import { bedrockAttempts } from "./attempts/bedrock.ts"
import type { Outcome } from "./attempts/place.ts"
import { AWS_SECRETS, gain, prepareStage, readOutcomes } from "./stage.ts"

const MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
const RUNNER = join(import.meta.dirname, "bedrock-runner.ts")

/** Returns the contents of all files in the depot, except its programs. */
function bytesIn({ folder }: Depot): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  const ours = paths.filter((path) => !path.startsWith(join(folder, "programs")))
  return ours.map((path) => readFileSync(path, "latin1")).join("\n")
}

for (const { place, sandbox, needed } of [
  { place: "as a user of its own", sandbox: "off", needed: needs(isRoot ? undefined : "this user isn't root") },
  { place: "in a sandbox", sandbox: "require", needed: needsSandbox },
]) {
  describe(`an agent that uses Bedrock ${place}`, needed, () => {
    let upstream: Upstream
    let depot: Depot
    let outcomes: Map<string, Outcome>
    let stderr = ""
    beforeAll(async () => {
      upstream = await startUpstream(({ headers }, response) => {
        // The API repeats its request.
        const status = upstream.asked.at(-1)?.body.includes("refuse") ? 403 : 200
        const echo = { "x-echo": headers.authorization, "x-token": headers["x-amz-security-token"] }
        response.writeHead(status, { "content-type": "application/json", ...echo }).end(JSON.stringify(headers))
      })
      depot = await openPassable()
      const programs = join(depot.folder, "programs")
      // Of this machine's files, a sandbox shows only the system and the program's own folder.
      cpSync(process.execPath, join(programs, "node"))
      const about = { data: depot.folder, node: join(programs, "node"), api: "http://127.0.0.1:1", apiSession: "none" }
      prepareStage(depot, { ...about, isBedrock: true })
      const how = { ...env, ...AWS_SECRETS, SWITCHYARD_AGENT_SANDBOX: sandbox, SWITCHYARD_AGENT_HOSTS: "default" }
      const runner = depot.start({ programs: [programs] }, { command: [process.execPath, RUNNER], env: how })
      const bedrock = { models: [MODEL], region: "us-east-1" }
      runner.run(await depot.create({}, null, { cli: "claude" }), 0, { base_url: upstream.url, bedrock })
      const { type } = await ended(depot, 0)
      stderr = `${type} ${runner.stderr()}`
      outcomes = readOutcomes(await worktreeOf(depot)).outcomes
    })
    afterAll(async () => {
      await depot?.[Symbol.asyncDispose]()
      await upstream?.[Symbol.asyncDispose]()
    })

    it.each(bedrockAttempts)("gets nothing: $name", (attempt) => {
      expect(gain(attempt, outcomes)).toBeUndefined()
    })

    it("had only calls of the allowed model signed, with the session's credentials", () => {
      expect(stderr).toBe("run_completed ")
      const call = `POST /model/${encodeURIComponent(MODEL)}/invoke-with-response-stream`
      expect(upstream.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([call, call])
      const { AWS_ACCESS_KEY_ID: id, AWS_SESSION_TOKEN: token } = AWS_SECRETS
      for (const { headers } of upstream.asked) {
        expect(headers.authorization).toMatch(new RegExp(`^AWS4-HMAC-SHA256 Credential=${id}/`))
        expect(headers["x-amz-security-token"]).toBe(token)
      }
    })

    it("left the credentials in no file and in no event", () => {
      const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = AWS_SECRETS
      const kept = bytesIn(depot)
      for (const secret of [AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN]) {
        expect(kept.includes(secret), secret).toBe(false)
      }
    })
  })
}
