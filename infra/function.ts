/// <reference path="../.sst/platform/config.d.ts" />
import { reserved, settings } from "./stage.ts"

interface Permission {
  actions: string[]
  resources: $util.Input<string>[]
  conditions?: { test: string; variable: string; values: $util.Input<string>[] }[]
}

type Args = Pick<
  sst.aws.FunctionArgs,
  "handler" | "description" | "memory" | "timeout" | "streaming" | "url" | "retries"
> & {
  environment: Record<string, $util.Input<string>>
  permissions: Permission[]
  /** Key that encrypts the environment and the log. If undefined, AWS's own keys encrypt them. */
  key: aws.kms.Key | undefined
  /** True to send timings to X-Ray: one call per second and 5 % of the rest. */
  traced: boolean
}

/** Maximum time that an event waits. After that, the sweep has already done the event's work. */
const MAX_EVENT_AGE_SECONDS = 60

/**
 * Creates a function with our common settings. It has only the given permissions, and only Lambda may assume its role.
 */
export function createFunction(name: string, { traced, key, ...args }: Args): sst.aws.Function {
  const logs = new aws.cloudwatch.LogGroup(`${name}Logs`, { retentionInDays: 30, ...(key && { kmsKeyId: key.arn }) })
  const share = reserved[name.toLowerCase()]
  return new sst.aws.Function(name, {
    ...args,
    handler: args.handler,
    runtime: "nodejs24.x",
    architecture: "arm64",
    // Split the code, because dynamic imports should only be loaded on demand.
    nodejs: { minify: true, splitting: true, plugins: "infra/plugins.mjs" },
    environment: { ...settings(), ...args.environment },
    ...(share !== undefined && { concurrency: { reserved: share } }),
    logging: { logGroup: logs.name, format: "json" },
    permissions: [
      ...args.permissions,
      ...(traced ? [TRACES] : []),
      { actions: ["logs:CreateLogStream", "logs:PutLogEvents"], resources: [$interpolate`${logs.arn}:*`] },
    ],
    transform: {
      function: (fn) => {
        if (key) fn.kmsKeyArn = key.arn
        fn.tracingConfig = { mode: traced ? "Active" : "PassThrough" }
      },
      role: (role) => {
        // By default, SST lets the whole account assume the role, and lets the role write to every log.
        role.assumeRolePolicy = onlyLambda
        role.managedPolicyArns = []
      },
      eventInvokeConfig: (config) => {
        config.maximumEventAgeInSeconds = MAX_EVENT_AGE_SECONDS
      },
    },
  })
}

/** Permissions to send timings. X-Ray's actions can't be limited to specific resources. */
const TRACES = { actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] }

const onlyLambda = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } }],
})

/** Returns the permission to invoke this function. */
export function invoke(fn: sst.aws.Function): { actions: string[]; resources: $util.Input<string>[] } {
  return { actions: ["lambda:InvokeFunction"], resources: [fn.arn] }
}
