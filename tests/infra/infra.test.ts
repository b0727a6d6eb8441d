import { execFile } from "node:child_process"
import { keyOfTheWorker } from "@switchyard/core/models/names"
import { beforeAll, describe, expect, it } from "vitest"
import { LOG_METRICS } from "../../infra/metric-list.ts"
import { total } from "../../tools/cloud/idle-month.ts"
import { needs } from "../needs.ts"
import { checks, expectAllLive, expectAllWatched, WATCHED, watched } from "./checks.ts"
import { idleMonth } from "./cost.ts"
import { granted } from "./granted.ts"
import { missing, of, one, root, type Synth, synthesise } from "./synth/synth.ts"

interface Shown {
  properties: { metrics: string[][] }
}

/** Returns the reserved concurrency of the functions that have one. */
function reservedIn(synth: Synth): Record<string, number> {
  const shares = of(synth, "Function").map(({ name, inputs }) => [name, inputs.reservedConcurrentExecutions])
  return Object.fromEntries(shares.filter(([, share]) => share !== undefined))
}

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
    // Browsers load zips and artifacts from the bucket by signed addresses.
    expect(one(synth, "BucketCorsConfiguration", "BlobsCors").corsRules).toMatchObject([
      { allowedMethods: ["GET", "HEAD"], allowedOrigins: ["*"], allowedHeaders: ["*"] },
    ])
    expect(one(synth, "TopicSubscription", "AlarmsByEmail")).toMatchObject({ endpoint: "ops@example.com" })
    const { alarmActions, okActions } = one(synth, "MetricAlarm", "RunsCrash")
    expect([alarmActions.length, okActions]).toEqual([1, alarmActions])
    expect(JSON.stringify(synth.resources)).not.toContain("sk-of-the-deployer")
  })

  it("may set what concerns models, as on one machine, but a value that no function would take ends the deployment", async () => {
    const env = {
      ANTHROPIC_BASE_URL: "https://gateway.example",
      WORKFLOW_FILES_AT_ONCE: "3",
      BEDROCK_REGION: "us-east-1",
    }
    const synth = await synthesise("dev", { env, bundle: false })
    const variablesOf = (name: string) => one(synth, "Function", name).environment.variables
    expect(variablesOf("WorkerFunction")).toMatchObject(env)
    // The api refuses runs without a key before they start, so it must know which keys exist.
    expect(variablesOf("ApiFunction")).toMatchObject({ ...env, ANTHROPIC_API_KEY: keyOfTheWorker })
    const refused = synthesise("dev", { env: { WORKFLOW_FILES_AT_ONCE: "many" }, bundle: false })
    await expect(refused).rejects.toThrow("WORKFLOW_FILES_AT_ONCE: ")
  })

  describe("who names a vault of another account", () => {
    const BACKUP_VAULT = "arn:aws:backup:eu-central-1:210987654321:backup-vault:switchyard"
    const vaultOf = async (BACKUP_VAULT: string) => synthesise("dev", { env: { BACKUP_VAULT }, bundle: false })

    it("has the records and the files copied there each night, by a role that only AWS Backup may be", async () => {
      const synth = await vaultOf(BACKUP_VAULT)
      expect(one(synth, "Plan", "BackupPlan").rules).toEqual([
        {
          ruleName: "nightly",
          targetVaultName: one(synth, "Vault", "BackupVault").name,
          schedule: "cron(0 3 * * ? *)",
          lifecycle: { deleteAfter: 2 },
          copyActions: [{ destinationVaultArn: BACKUP_VAULT, lifecycle: { deleteAfter: 35 } }],
        },
      ])
      const { resources, planId } = one(synth, "Selection", "BackupOfStage")
      expect(planId).toBe("BackupPlan-id")
      const [table, bucket, ...others] = resources
      expect([table, bucket, others]).toEqual([
        expect.stringMatching(/:table\/switchyard-dev-RecordsTable-\w+$/),
        expect.stringMatching(/^arn:aws:s3:::switchyard-dev-blobsbucket-\w+$/),
        [],
      ])
      // AWS Backup requires versioning of a bucket.
      expect(one(synth, "BucketVersioning", "BlobsVersioning").versioningConfiguration).toEqual({ status: "Enabled" })
      expect(granted(synth).BackupRole).toEqual({
        is: "backup.amazonaws.com",
        may: [
          "arn:aws:iam::aws:policy/AWSBackupServiceRolePolicyForS3Backup",
          "arn:aws:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup",
        ],
      })
      expect(Object.keys(granted(synth)).sort()).toEqual(
        [...Object.keys(granted(await synthesise("dev", { bundle: false }))), "BackupRole"].sort(),
      )
    })

    it.each(["switchyard", "arn:aws:backup:eu-central-1:1:backup-vault:x", `${BACKUP_VAULT}:1`])(
      "is told that %s is none",
      async (wrong) => {
        await expect(vaultOf(wrong)).rejects.toThrow("BACKUP_VAULT must be the ARN")
      },
    )
  })

  it("may have sockets, which cost nothing while nobody is connected, and whose functions may do no more than they must", async () => {
    const synth = await synthesise("prod", { env: { SOCKETS: "on" }, bundle: false })
    expect(total(idleMonth(synth))).toBeLessThan(3)
    expect(one(synth, "Api", "Sockets")).toMatchObject({ protocolType: "WEBSOCKET" })
    expect(one(synth, "Stage", "SocketsStage")).toMatchObject({ name: "live", autoDeploy: true })
    const routes = of(synth, "Route").flatMap(({ inputs }) => inputs.routeKey ?? [])
    expect(routes.sort()).toEqual(["$connect", "$default", "$disconnect"])
    expect(one(synth, "Permission", "SocketsInvoke")).toMatchObject({ principal: "apigateway.amazonaws.com" })
    const shapes = ["Socket", "Pump"].map((name) => {
      const { memorySize, timeout, environment } = one(synth, "Function", `${name}Function`)
      expect(environment.variables.CONNECTIONS).toMatch(/^https:\/\/.*execute-api\.eu-central-1\.amazonaws\.com\/live$/)
      return [memorySize, timeout, "ORIGIN_SECRET" in environment.variables]
    })
    expect(shapes).toEqual([
      [256, 29, true],
      [256, 900, false],
    ])
    const alarms = ["Socket", "Pump"].flatMap((name) =>
      ["Errors", "Throttles"].map((metric) => `AWS/Lambda ${metric} ${name}Function`),
    )
    expect(watched(synth)).toEqual([...WATCHED, ...alarms, "AWS/Lambda Duration SocketFunction"].sort())
    checks["an invocation that Lambda is about to end is told of"](synth)
    for (const name of ["SocketLogs", "PumpLogs"]) {
      expect(one(synth, "LogGroup", name)).toMatchObject({ retentionInDays: 30 })
    }
    const { SocketRole, PumpRole } = granted(synth)
    const beyond = (may: string[] = []) => may.filter((each) => !/^(dynamodb|logs):/.test(each))
    const all = [SocketRole, PumpRole].map((role) => beyond(role?.may))
    for (const may of all) {
      const managed = may.filter((each) => each.startsWith("execute-api:"))
      expect(managed).toEqual([expect.stringMatching(/^execute-api:ManageConnections .+\/live\/\*\/@connections\/\*$/)])
    }
    expect(all.map((may) => may.filter((each) => !each.startsWith("execute-api:")))).toEqual([
      [
        ...["PumpFunction", "PumpFunction:live"].map((fn) => `lambda:InvokeFunction ${fn}`),
        ...["WorkerFunction", "WorkerFunction:live"].map((fn) => `lambda:InvokeFunction ${fn}`),
        "s3:AbortMultipartUpload bucket/s/*",
        "s3:GetObject bucket/s/*",
        "s3:ListBucket bucket",
        "s3:PutObject bucket/s/*",
      ],
      ["s3:GetObject bucket/s/*", "s3:ListBucket bucket"],
    ])
    const { code } = one(synth, "Function", "RouterCloudfrontFunctionRequest")
    expect(Buffer.byteLength(code)).toBeLessThan(10_240)
    const { origins } = one(synth, "Distribution", "RouterCdnDistribution")
    expect(origins.map(({ originId }: { originId: string }) => originId)).toContain("sockets")
    expect(code).toContain('cf.selectRequestOriginById("sockets")')
  })

  it("has previews at one name, which a page has no origin at, that learns of the studio by their addresses alone", async () => {
    const synth = await synthesise("prod", { env: { PUBLIC_URL: "" }, bundle: false })
    const { origins, defaultCacheBehavior, aliases, viewerCertificate } = one(synth, "Distribution", "Previews")
    expect([aliases, viewerCertificate]).toEqual([[], { cloudfrontDefaultCertificate: true }])
    expect(defaultCacheBehavior.allowedMethods).toEqual(["GET", "HEAD", "OPTIONS"])
    const { variables } = one(synth, "Function", "PreviewFunction").environment
    expect(origins[0].customHeaders).toEqual([{ name: "x-origin-secret", value: variables.PREVIEW_SECRET }])
    for (const name of ["PREVIEW_DOMAIN", "PUBLIC_URL", "MASTER_KEY"]) expect(variables).not.toHaveProperty(name)
    for (const name of ["ApiFunction", "StreamFunction"]) {
      expect(one(synth, "Function", name).environment.variables).toMatchObject({
        PREVIEW_ORIGIN: "https://d111111abcdef8.cloudfront.net",
        PUBLIC_URL: "https://d111111abcdef8.cloudfront.net",
      })
    }
    expect(synth.outputs).toMatchObject({ previews: "d111111abcdef8.cloudfront.net" })
  })

  it("may have previews at a domain of their own, which reach no studio and change nothing", async () => {
    const cert = "arn:aws:acm:us-east-1:123456789012:certificate/previews"
    const env = { PREVIEW_DOMAIN: "previews.example.net", PREVIEW_CERTIFICATE: cert, DOMAIN: "", PUBLIC_URL: "" }
    const synth = await synthesise("prod", { env })
    expect(total(idleMonth(synth))).toBeLessThan(3)
    const { origins, defaultCacheBehavior, aliases, viewerCertificate } = one(synth, "Distribution", "Previews")
    expect(aliases).toEqual(["*.previews.example.net"])
    expect(viewerCertificate).toMatchObject({ acmCertificateArn: cert, minimumProtocolVersion: "TLSv1.2_2021" })
    const [origin, ...others] = origins
    expect(others).toEqual([])
    expect(origin.domainName).toBe("previewurl.lambda-url.eu-central-1.on.aws")
    expect(defaultCacheBehavior).toMatchObject({
      allowedMethods: ["GET", "HEAD"],
      viewerProtocolPolicy: "redirect-to-https",
      cachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      originRequestPolicyId: "PreviewRequests-id",
    })
    // Neither cookies nor tokens reach the preview.
    expect(one(synth, "OriginRequestPolicy", "PreviewRequests")).toEqual({
      headersConfig: {
        headerBehavior: "whitelist",
        headers: { items: ["x-forwarded-host", "service-worker", "sec-fetch-mode"] },
      },
      cookiesConfig: { cookieBehavior: "none" },
      queryStringsConfig: { queryStringBehavior: "none" },
    })
    const { PREVIEW_SECRET, PUBLIC_URL, MASTER_KEY, ADMIN_TOKEN, WORKER } = one(synth, "Function", "PreviewFunction")
      .environment.variables
    expect(origin.customHeaders).toEqual([{ name: "x-origin-secret", value: PREVIEW_SECRET }])
    expect([MASTER_KEY, ADMIN_TOKEN, WORKER]).toEqual([undefined, undefined, undefined])
    expect(PUBLIC_URL).toBe("https://d111111abcdef8.cloudfront.net")
    checks["each function is given only the secrets that it needs, and nobody else any"](synth)
    expect(granted(synth).PreviewRole?.may).toEqual([
      "dynamodb:GetItem table",
      "dynamodb:Query table",
      "logs:CreateLogStream PreviewLogs:*",
      "logs:PutLogEvents PreviewLogs:*",
      "s3:GetObject bucket/apps/*",
      "s3:GetObject bucket/s/*",
      "s3:ListBucket bucket",
    ])
    expect(one(synth, "Function", "ApiFunction").environment.variables.PREVIEW_DOMAIN).toBe("previews.example.net")
    const { securityHeadersConfig } = one(synth, "ResponseHeadersPolicy", "StudioHeaders")
    const { contentSecurityPolicy } = securityHeadersConfig.contentSecurityPolicy
    expect(contentSecurityPolicy).toContain("frame-src https://*.previews.example.net;")
    expect(watched(synth)).toEqual([...WATCHED].sort())
    expect(synth.outputs).toMatchObject({ previews: "d111111abcdef8.cloudfront.net" })
  })

  it("may reserve functions, and ask for charts and for a mail before the bill is high", async () => {
    const shares = "api=50, stream=200,sweep=2,worker=9,preview=8,credentials=7,logins=6,slots=5,socket=4,pump=3"
    const env = {
      ...{ RESERVED_CONCURRENCY: shares, DASHBOARD: "on", AGENTS: "on", SOCKETS: "on" },
      ...{ BUDGET_DOLLARS: "50", ALARM_EMAIL: "ops@example.com" },
    }
    const plain = await synthesise("dev", { env: { AGENTS: "on" }, bundle: false })
    const asked = await synthesise("dev", { env, bundle: false })
    for (const synth of [plain, asked]) {
      expectAllWatched(synth)
      expectAllLive(synth)
    }
    expect(reservedIn(plain)).toEqual({})
    expect(reservedIn(asked)).toEqual({
      ...{ ApiFunction: 50, StreamFunction: 200, SweepFunction: 2, WorkerFunction: 9, PreviewFunction: 8 },
      ...{ CredentialsFunction: 7, LoginsFunction: 6, SlotsFunction: 5, SocketFunction: 4, PumpFunction: 3 },
    })
    const functions = of(asked, "Function").filter(({ inputs }) => inputs.memorySize)
    expect(Object.keys(reservedIn(asked)).sort()).toEqual(functions.map(({ name }) => name).sort())
    for (const type of ["Budget", "Dashboard"]) expect(of(plain, type)).toEqual([])

    expect(one(asked, "Budget", "Budget")).toMatchObject({ limitAmount: "50", limitUnit: "USD", timeUnit: "MONTHLY" })
    for (const told of one(asked, "Budget", "Budget").notifications) {
      expect(told).toMatchObject({ subscriberEmailAddresses: ["ops@example.com"], thresholdType: "PERCENTAGE" })
    }
    const { widgets } = JSON.parse(one(asked, "Dashboard", "Dashboard").dashboardBody)
    const charted = widgets.flatMap(({ properties }: Shown) => properties.metrics)
    const ofRuns = charted.filter(([namespace]: string[]) => namespace === "switchyard/dev")
    expect(ofRuns.map(([, name]: string[]) => name).sort()).toEqual(LOG_METRICS.map(({ name }) => name).sort())
    const shown = new Set(charted.flatMap((metric: string[]) => (ofRuns.includes(metric) ? [] : metric[3])))
    const names = of(asked, "Function").flatMap(({ inputs }) => (inputs.memorySize ? [inputs.name] : []))
    expect([...shown].sort()).toEqual([...names, one(asked, "Table", "RecordsTable").name].sort())
  })

  it("may seal all that is stored with a key of the account's own, which only AWS's services use, and roles stay as they are", async () => {
    const [without, synth] = await Promise.all([
      synthesise("prod", { env: { AGENTS: "on", SOCKETS: "on" }, bundle: false }),
      synthesise("prod", { env: { AGENTS: "on", SOCKETS: "on", KMS_KEY: "on" }, bundle: false }),
    ])
    const key = one(synth, "Key", "StoredKey")
    expect(key).toMatchObject({ enableKeyRotation: true, deletionWindowInDays: 30 })
    const [administered, used, logged] = JSON.parse(key.policy).Statement
    expect(administered.Principal.AWS).toMatch(/^arn:aws:iam::\d+:root$/)
    expect(used.Condition).toEqual({
      StringEquals: {
        "kms:CallerAccount": expect.stringMatching(/^\d{12}$/),
        "kms:ViaService": ["dynamodb.eu-central-1.amazonaws.com", "s3.eu-central-1.amazonaws.com"],
      },
    })
    const table = one(synth, "Table", "RecordsTable")
    expect(table.serverSideEncryption).toMatchObject({ enabled: true, kmsKeyArn: expect.stringContaining("StoredKey") })
    const { bucket, rules } = one(synth, "BucketServerSideEncryptionConfiguration", "BlobsEncryption")
    expect(bucket).toBe(one(synth, "Bucket", "BlobsBucket").bucket)
    expect(rules).toEqual([
      {
        applyServerSideEncryptionByDefault: {
          sseAlgorithm: "aws:kms",
          kmsMasterKeyId: table.serverSideEncryption.kmsKeyArn,
        },
        bucketKeyEnabled: true,
      },
    ])
    expect(logged).toMatchObject({
      Principal: { Service: "logs.eu-central-1.amazonaws.com" },
      Condition: {
        ArnLike: {
          "kms:EncryptionContext:aws:logs:arn": expect.stringMatching(
            /^arn:aws:logs:eu-central-1:\d{12}:log-group:\*$/,
          ),
        },
      },
    })
    const { kmsKeyArn } = table.serverSideEncryption
    const environments = of(synth, "Function").filter(({ inputs }) => inputs.environment?.variables?.TABLE)
    expect(environments.map(({ inputs }) => inputs.kmsKeyArn)).toEqual(Array(10).fill(kmsKeyArn))
    const logs = of(synth, "LogGroup").map(({ inputs }) => inputs.kmsKeyId)
    expect(logs).toEqual(Array(11).fill(kmsKeyArn))
    const permissions = (of: Synth) => Object.entries(granted(of)).map(([role, { may }]) => [role, may])
    expect(permissions(synth)).toEqual(permissions(without))
    expect(one(without, "Table", "RecordsTable").serverSideEncryption).toBeUndefined()
  })

  it("may give it a name of its own, with which CloudFront's function still is small enough", async () => {
    const cert = "arn:aws:acm:us-east-1:123456789012:certificate/x"
    const env = { DOMAIN: "studio.example.com", DOMAIN_CERTIFICATE: cert, FIREWALL: "on" }
    const named = await synthesise("dev", { env, bundle: false })
    expect(one(named, "Distribution", "RouterCdnDistribution")).toMatchObject({
      aliases: ["studio.example.com"],
      viewerCertificate: { acmCertificateArn: cert, minimumProtocolVersion: "TLSv1.2_2021" },
    })
    for (const type of ["Certificate", "Record"]) expect(of(named, type)).toEqual([])
    const { code } = one(named, "Function", "RouterCloudfrontFunctionRequest")
    expect(Buffer.byteLength(code)).toBeLessThan(10_240)
    expect(named.outputs).toMatchObject({ url: "https://studio.example.com" })
    // AWS's managed rules would refuse source code in a body.
    const { scope, rules } = of(named, "WebAcl")[0]?.inputs ?? {}
    expect(scope).toBe("CLOUDFRONT")
    const [{ statement, action }, ...others] = rules
    expect(others).toEqual([])
    const { limit, aggregateKeyType, scopeDownStatement } = statement.rateBasedStatement
    expect([limit, aggregateKeyType, action]).toEqual([30_000, "IP", { block: {} }])
    // Assets come from CloudFront's cache, dozens at once, so they don't count.
    const [{ byteMatchStatement: counted }, ...more] = scopeDownStatement.notStatement.statements
    expect([counted.searchString, counted.positionalConstraint, more]).toEqual(["/assets/", "STARTS_WITH", []])
    expect(one(named, "Distribution", "RouterCdnDistribution").webAclId).toContain("wafv2")
    const { PUBLIC_URL } = one(named, "Function", "WorkerFunction").environment.variables
    expect(PUBLIC_URL).toBe("https://studio.example.com")
  })

  it("may set the firewall's rate, or have none", async () => {
    const rates = ["2000", "off"].map(async (FIREWALL) => {
      const [acl] = of(await synthesise("dev", { env: { FIREWALL }, bundle: false }), "WebAcl")
      return acl?.inputs.rules[0].statement.rateBasedStatement.limit
    })
    expect(await Promise.all(rates)).toEqual([2000, undefined])
  })

  it.each([
    ["a firewall of no rate", { FIREWALL: "true" }, /FIREWALL is "true". It must be "on", "off", or the number/],
    ["a server below a path", { PUBLIC_URL: "https://example.com/sy" }, /PUBLIC_URL can't have a path/],
    ["a name without a certificate", { DOMAIN: "studio.example.com" }, /needs DOMAIN_CERTIFICATE/],
    [
      "a share for a function that isn't there",
      { RESERVED_CONCURRENCY: "apis=50" },
      /RESERVED_CONCURRENCY contains "apis=50"/,
    ],
    ["a domain of previews without a certificate", { PREVIEW_DOMAIN: "p.example.net" }, /needs PREVIEW_CERTIFICATE/],
    [
      "previews below the studio's own name",
      {
        ...{ PREVIEW_DOMAIN: "p.studio.example.com", PREVIEW_CERTIFICATE: "arn:aws:acm:us-east-1:1:certificate/y" },
        ...{ DOMAIN: "studio.example.com", DOMAIN_CERTIFICATE: "arn:aws:acm:us-east-1:1:certificate/x" },
      },
      /Neither PREVIEW_DOMAIN nor DOMAIN may contain the other/,
    ],
    ["a budget that is told to nobody", { BUDGET_DOLLARS: "50" }, /needs ALARM_EMAIL/],
    ["a budget that is no number", { BUDGET_DOLLARS: "$50", ALARM_EMAIL: "a@example.com" }, /whole number/],
  ])("is refused %s", async (_what, env, reason) => {
    await expect(synthesise("dev", { env: env as Record<string, string>, bundle: false })).rejects.toThrow(reason)
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
