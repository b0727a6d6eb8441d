/// <reference path="../.sst/platform/config.d.ts" />
import { settings } from "./stage.ts"

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
  /** Seals the environment and the log, in the place of AWS's own keys. */
  key: aws.kms.Key | undefined
  /** Whether X-Ray is told how long it took to begin and to end: of one call a second, and of a twentieth of the rest. */
  traced: boolean
  /** How many can always run, and no more; otherwise they share with all of the account. */
  reserved?: number | undefined
}

/** An event that nobody could take up for a minute has long been looked after by the sweep. */
const MAX_EVENT_AGE_SECONDS = 60

/** A function as all of ours are: only what is named may be done by it, and only Lambda may be it. */
export function createFunction(name: string, { traced, reserved, key, ...args }: Args): sst.aws.Function {
  const logs = new aws.cloudwatch.LogGroup(`${name}Logs`, { retentionInDays: 30, ...(key && { kmsKeyId: key.arn }) })
  return new sst.aws.Function(name, {
    ...args,
    handler: args.handler,
    runtime: "nodejs24.x",
    architecture: "arm64",
    // With splitting, what is imported when needed is loaded when needed.
    nodejs: { minify: true, splitting: true, plugins: "infra/plugins.mjs" },
    environment: { ...settings(), ...args.environment },
    ...(reserved !== undefined && { concurrency: { reserved } }),
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
        // SST lets the whole account be the function, and write to every log.
        role.assumeRolePolicy = onlyLambda
        role.managedPolicyArns = []
      },
      eventInvokeConfig: (config) => {
        config.maximumEventAgeInSeconds = MAX_EVENT_AGE_SECONDS
      },
    },
  })
}

/** X-Ray knows no resources. */
const TRACES = { actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] }

const onlyLambda = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } }],
})

/** May start this function. */
export function invoke(fn: sst.aws.Function): { actions: string[]; resources: $util.Input<string>[] } {
  return { actions: ["lambda:InvokeFunction"], resources: [fn.arn] }
}
