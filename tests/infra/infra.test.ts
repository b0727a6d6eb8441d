import { execFile } from "node:child_process"
import { beforeAll, describe, expect, it } from "vitest"
import { needs } from "../needs.ts"
import { checks } from "./checks.ts"
import { missing, one, root, type Synth, synthesise } from "./synth/synth.ts"

describe.each(["prod", "dev"])("what would be deployed to %s", needs(missing), (stage) => {
  let synth: Synth
  beforeAll(async () => {
    synth = await synthesise(stage)
  })

  it.each(Object.entries(checks))("%s", (_name, check) => check(synth))
})

describe("whoever deploys", needs(missing), () => {
  it("may set what concerns browsers and retention, and an address for alarms, and nothing by chance", async () => {
    const env = {
      CORS_ALLOWED_ORIGINS: "https://studio.example",
      RETENTION_DAYS: "7",
      ALARM_EMAIL: "ops@example.com",
      OPENAI_API_KEY: "sk-of-the-deployer",
    }
    const synth = await synthesise("dev", { env, bundle: false })
    const { variables } = one(synth, "Function", "ApiFunction").environment
    expect(variables).toMatchObject({ CORS_ALLOWED_ORIGINS: "https://studio.example", RETENTION_DAYS: "7" })
    // Zips and artifacts come from the bucket, by signed addresses.
    expect(one(synth, "BucketCorsConfiguration", "BlobsCors").corsRules).toMatchObject([
      { allowedMethods: ["GET", "HEAD"], allowedOrigins: ["*"], allowedHeaders: ["*"] },
    ])
    expect(one(synth, "TopicSubscription", "AlarmsByEmail")).toMatchObject({ endpoint: "ops@example.com" })
    expect(one(synth, "MetricAlarm", "RunsCrash").alarmActions).toHaveLength(1)
    expect(JSON.stringify(synth.resources)).not.toContain("sk-of-the-deployer")
  })

  it("writes a configuration that the compiler understands", async () => {
    const tsc = new Promise((resolve) =>
      execFile(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "infra"], { cwd: root }, (_error, stdout) =>
        resolve(stdout),
      ),
    )
    expect(await tsc).toBe("")
  })
})
