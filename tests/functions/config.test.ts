import { loadConfig, warningsOf } from "@switchyard/functions/config"
import { describe, expect, it } from "vitest"

describe("the configuration", () => {
  it("has defaults for everything", () => {
    expect(loadConfig({})).toMatchObject({
      appEnv: "development",
      host: "127.0.0.1",
      ports: expect.arrayContaining([3000, 3001]),
      dataFolder: ".switchyard",
      auth: { mode: "open" },
      perMinute: { runs: 0, archives: 0 },
      allowedHosts: ["*"],
      workspaceAuth: "none",
      verboseErrors: true,
      models: { development: true, allowScripted: true },
    })
  })

  it("closes in production what development leaves open", () => {
    expect(loadConfig({ APP_ENV: "production" })).toMatchObject({
      production: true,
      auth: { mode: "token" },
      perMinute: { runs: 30, archives: 30 },
      allowedHosts: [],
      workspaceAuth: "token",
      verboseErrors: false,
      cors: { origins: [], credentials: false, configured: false },
      models: { development: false, allowScripted: false },
    })
  })

  it("reaches hosts that aren't public where they are listed, and on a stage in development no others", () => {
    expect(loadConfig({}, { deployed: true }).allowedHosts).toEqual([])
    const listed = loadConfig({ ALLOWED_HOSTS: "git.example, 10.0.0.0/8" }, { deployed: true })
    expect(listed.allowedHosts).toEqual(["git.example", "10.0.0.0/8"])
    expect(() => loadConfig({ ALLOWED_HOSTS: "10.0.0.0/99" })).toThrow("ALLOWED_HOSTS")
  })

  it.each([
    [{}, "open", false],
    [{ HOST: "localhost" }, "open", false],
    [{ HOST: "0.0.0.0" }, "token", true],
    [{ HOST: "::" }, "token", true],
    [{ SWITCHYARD_AGENT_USER: "agent" }, "token", true],
    [{ SWITCHYARD_AGENT_USER: " " }, "open", false],
    [{ SWITCHYARD_AGENT_USER: "agent", AUTH_MODE: "token" }, "token", false],
    [{ SWITCHYARD_AGENT_USER: "agent", APP_ENV: "production" }, "token", false],
  ])("reads %o as a server whose mode is %s, and that makes a token itself: %s", (env, mode, makesToken) => {
    expect(loadConfig(env).auth).toMatchObject({ mode, makesToken })
  })

  it("refuses to do without login where agents are kept apart", () => {
    expect(() => loadConfig({ SWITCHYARD_AGENT_USER: "agent", AUTH_MODE: "open" })).toThrow("AUTH_MODE")
  })

  it.each([
    [{ REQUIRE_WORKSPACE_AUTH: "yes" }, "key"],
    [{ REQUIRE_WORKSPACE_AUTH: "yes", AUTH_MODE: "token" }, "token"],
    [{ REQUIRE_WORKSPACE_AUTH: "no", APP_ENV: "production" }, "token"],
    [{ APP_ENV: "production", AUTH_MODE: "open" }, "key"],
  ])("reads %o as a workspace that takes %j", (env, workspaceAuth) => {
    expect(loadConfig(env)).toMatchObject({ workspaceAuth })
  })

  it.each([
    ["1", true],
    ["TRUE", true],
    [" yes ", true],
    ["on", true],
    ["0", false],
    ["False", false],
    ["no", false],
    ["off", false],
    ["maybe", true],
    ["", true],
  ])("reads %j as a flag, and leaves the default where it says nothing", (text, expected) => {
    expect(loadConfig({ EXPOSE_VERBOSE_ERRORS: text }).verboseErrors).toBe(expected)
  })

  it("takes origins as a list, and allows credentials only for those it knows by name", () => {
    const origins = (csv: string, credentials?: string) =>
      loadConfig({ CORS_ALLOWED_ORIGINS: csv, CORS_ALLOW_CREDENTIALS: credentials, AUTH_MODE: "token" }).cors
    expect(origins(" https://a.example , https://b.example,")).toMatchObject({
      origins: ["https://a.example", "https://b.example"],
      credentials: true,
    })
    expect(origins("https://a.example", "no").credentials).toBe(false)
    expect(origins("*", "yes").credentials).toBe(false)
    expect(origins("")).toMatchObject({ origins: [], credentials: false })
    expect(() => loadConfig({ CORS_ALLOWED_ORIGINS: "*" })).toThrow("CORS_ALLOWED_ORIGINS")
  })

  it.each([".*", "https?://.*", "https://[^/]+", "http://.+", ".+:\\d+", "(?:)|.*"])(
    "treats the pattern %s as an asterisk",
    (CORS_ALLOWED_ORIGIN_REGEX) => {
      expect(() => loadConfig({ CORS_ALLOWED_ORIGIN_REGEX })).toThrow("CORS_ALLOWED_ORIGIN_REGEX")
      const withLogIn = { CORS_ALLOWED_ORIGIN_REGEX, CORS_ALLOW_CREDENTIALS: "yes", AUTH_MODE: "token" }
      expect(loadConfig(withLogIn).cors.credentials).toBe(false)
    },
  )

  it("warns of a production that no other origin may call, of keys in the wrong place, and of nothing else", () => {
    const warnings = (env: Record<string, string>) => warningsOf(loadConfig(env))
    expect(warnings({ APP_ENV: "production" })).toEqual([expect.stringContaining("CORS_ALLOWED_ORIGINS")])
    expect(warnings({})).toEqual([])
    expect(warnings({ GROQ_API_KEY: "sk-ant-x" })).toEqual([
      expect.stringContaining("GROQ_API_KEY is an Anthropic key"),
    ])
    const subscription = { ANTHROPIC_API_KEY: "sk-ant-oat01-x" }
    expect(warnings(subscription)).toEqual([expect.stringContaining("ANTHROPIC_API_KEY is the token of a Claude")])
    expect(loadConfig(subscription).agentKeys).toEqual({})
    for (const name of ["CORS_ALLOWED_ORIGINS", "CORS_ALLOWED_ORIGIN_REGEX"]) {
      expect(warnings({ APP_ENV: "production", [name]: "https://a.example" })).toEqual([])
    }
  })

  it("has the silence of models in seconds, of local ones apart", () => {
    const { timeouts, localTimeouts } = loadConfig({
      MODEL_IDLE_SECONDS: "30",
      LOCAL_FIRST_BYTE_SECONDS: "3600",
    }).models
    expect([timeouts, localTimeouts]).toEqual([{ idleMs: 30_000 }, { firstByteMs: 3_600_000 }])
    for (const wrong of ["0", "-1", "86401", "soon"]) {
      expect(() => loadConfig({ LOCAL_IDLE_SECONDS: wrong })).toThrow("LOCAL_IDLE_SECONDS")
    }
  })

  it("has the models of Bedrock in their order, and needs their region", () => {
    const BEDROCK_MODELS = "us.amazon.nova-pro-v1:0, arn:aws:bedrock:x:1:application-inference-profile/y"
    const models = ["us.amazon.nova-pro-v1:0", "arn:aws:bedrock:x:1:application-inference-profile/y"]
    const region = "eu-west-1"
    const bedrockOf = (env: Record<string, string>) => loadConfig(env).models.bedrock
    expect(bedrockOf({ BEDROCK_MODELS, BEDROCK_REGION: region, AWS_REGION: "us-east-1" })).toEqual({ models, region })
    expect(bedrockOf({ BEDROCK_MODELS, AWS_REGION: region })).toEqual({ models, region })
    expect(bedrockOf({ AWS_REGION: region })).toBeUndefined()
    expect(() => bedrockOf({ BEDROCK_MODELS })).toThrow("BEDROCK_REGION")
    expect(() => bedrockOf({ BEDROCK_MODELS, BEDROCK_REGION: "evil.example/" })).toThrow("BEDROCK_REGION")
    expect(() => bedrockOf({ BEDROCK_MODELS: "bedrock/x", AWS_REGION: region })).toThrow("Leave out")
  })

  it("gives agents the models of Bedrock on a stage only, and only if it is told to", () => {
    const env = { BEDROCK_MODELS: "anthropic.claude-x", AWS_REGION: "us-east-1", ADMIN_TOKEN: "x".repeat(32) }
    const told = { ...env, BEDROCK_FOR_AGENTS: "on" }
    expect(loadConfig(told, { deployed: true }).agentBedrock).toMatchObject({ models: ["anthropic.claude-x"] })
    expect(loadConfig(told).agentBedrock).toBeUndefined()
    expect(loadConfig(env, { deployed: true }).agentBedrock).toBeUndefined()
  })

  it("matches a pattern of origins whole", () => {
    const { pattern } = loadConfig({ CORS_ALLOWED_ORIGIN_REGEX: "https://.*\\.preview\\.example" }).cors
    expect(pattern?.test("https://x.preview.example")).toBe(true)
    expect(pattern?.test("https://x.preview.example.evil.test")).toBe(false)
  })

  it("limits what costs money where strangers come, unless it says otherwise", () => {
    const runs = (env: Record<string, string>) => loadConfig(env).perMinute.runs
    expect(runs({ AUTH_MODE: "token" })).toBe(30)
    expect(runs({ AUTH_MODE: "token", RATE_LIMIT_RUNS_PER_MINUTE: "0" })).toBe(0)
    expect(runs({ RATE_LIMIT_RUNS_PER_MINUTE: "7" })).toBe(7)
    expect(loadConfig({ APP_ENV: "production", AUTH_MODE: "open" })).toMatchObject({ auth: { mode: "open" } })
  })

  it("takes of a public address what a link begins with", () => {
    expect(loadConfig({ PUBLIC_URL: "https://studio.example/" }).publicUrl).toBe("https://studio.example")
    expect(() => loadConfig({ PUBLIC_URL: "https://studio.example/sy" })).toThrow(
      "PUBLIC_URL can't have a path. Give the server a host name of its own, and set only https://studio.example.",
    )
  })

  it("takes origins as browsers send them", () => {
    const origins = "https://App.example/, http://localhost:5173,null,tauri://localhost,*"
    expect(loadConfig({ AUTH_MODE: "token", CORS_ALLOWED_ORIGINS: origins }).cors.origins).toEqual([
      ...["https://app.example", "http://localhost:5173", "null", "tauri://localhost", "*"],
    ])
  })

  it.each([
    { PORT: "eighty" },
    { PORT: "70000" },
    { RETENTION_DAYS: "0" },
    { APP_ENV: "staging" },
    { AUTH_MODE: "none" },
    { ADMIN_TOKEN: "short" },
    { RATE_LIMIT_RUNS_PER_MINUTE: "-1" },
    { RATE_LIMIT_RUNS_PER_MINUTE: "many" },
    { PUBLIC_URL: "studio.example" },
    { PUBLIC_URL: "javascript:alert(1)" },
    { PUBLIC_URL: "https://studio.example/?x" },
    { PUBLIC_URL: "https://user:word@studio.example" },
    { CORS_ALLOWED_ORIGINS: "https://app.example/studio" },
    { CORS_ALLOWED_ORIGINS: "https://a.example,https://*.app.example" },
    { CORS_ALLOWED_ORIGINS: "https://" },
    { CLIENT_ADDRESS_HEADER: "x forwarded for" },
    { CORS_ALLOWED_ORIGIN_REGEX: "https://(.*" },
  ])("refuses %j, and says which variable it is", (env) => {
    expect(() => loadConfig(env)).toThrow(Object.keys(env)[0])
  })
})
