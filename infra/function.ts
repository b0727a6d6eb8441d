/// <reference path="../.sst/platform/config.d.ts" />
import { LIVE } from "../tools/cloud/live.ts"
import { reserved, settings } from "./stage.ts"

interface Permission {
  actions: string[]
  resources: $util.Input<string>[]
  conditions?: { test: string; variable: string; values: $util.Input<string>[] }[]
}

type Args = Pick<sst.aws.FunctionArgs, "handler" | "description" | "memory" | "timeout" | "streaming"> & {
  environment: Record<string, $util.Input<string>>
  permissions: Permission[]
  /** Key that encrypts the environment and the log. If undefined, AWS's own keys encrypt them. */
  key: aws.kms.Key | undefined
  /** True to send timings to X-Ray: one call per second and 5 % of the rest. */
  traced: boolean
  /** Number of times that Lambda retries failed events. Undefined for functions that don't receive events. */
  retries?: 0 | 1 | 2
}

/** A function of the stage. All callers use its live version. */
export interface LiveFunction {
  /** Name of the function, for metrics. */
  name: $util.Output<string>
  /** Alias of the live version. */
  alias: $util.Output<string>
  /** Name and ARN that invoke the live version. */
  invokeName: $util.Output<string>
  arn: $util.Output<string>
  /** ARN without the alias. */
  plainArn: $util.Output<string>
  /** Address of the live version for API Gateway. */
  invokeArn: $util.Output<string>
  role: aws.iam.Role
  logGroup: $util.Output<string>
}

/** Maximum time that an event waits. After that, the sweep has already done the event's work. */
const MAX_EVENT_AGE_SECONDS = 60

/**
 * Creates a function with our common settings. It has only the given permissions, and only Lambda may assume its role.
 * Each deployment publishes a version and makes it live by moving an alias, which `npm run rollback` moves back.
 */
export function createFunction(name: string, { traced, key, retries, ...args }: Args): LiveFunction {
  const logs = new aws.cloudwatch.LogGroup(`${name}Logs`, { retentionInDays: 30, ...(key && { kmsKeyId: key.arn }) })
  const share = reserved[name.toLowerCase()]
  const { nodes } = new sst.aws.Function(name, {
    ...args,
    handler: args.handler,
    runtime: "nodejs24.x",
    architecture: "arm64",
    // Split the code, because dynamic imports should only be loaded on demand.
    nodejs: { minify: true, splitting: true, plugins: "infra/plugins.mjs" },
    environment: { ...settings(), ...args.environment },
    versioning: true,
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
    },
  })
  const fn = nodes.function
  const live = new aws.lambda.Alias(`${name}Live`, { name: LIVE, functionName: fn.name, functionVersion: fn.version })
  if (retries !== undefined) {
    new aws.lambda.FunctionEventInvokeConfig(`${name}EventInvokeConfig`, {
      ...{ functionName: fn.name, qualifier: live.name },
      ...{ maximumRetryAttempts: retries, maximumEventAgeInSeconds: MAX_EVENT_AGE_SECONDS },
    })
  }
  return {
    ...{ name: fn.name, alias: live.name, invokeName: $interpolate`${fn.name}:${live.name}` },
    ...{ arn: live.arn, plainArn: fn.arn, invokeArn: live.invokeArn, role: nodes.role, logGroup: logs.name },
  }
}

/**
 * Gives a function a public address that streams its responses. SST can't create an address for an alias, except for
 * durable functions.
 */
export function createUrl(name: string, { name: functionName, alias: qualifier }: LiveFunction): $util.Output<string> {
  const anyone = { function: functionName, qualifier, principal: "*" }
  new aws.lambda.Permission(`${name}PublicFunctionUrlAccess`, {
    ...{ ...anyone, action: "lambda:InvokeFunctionUrl", functionUrlAuthType: "NONE" },
  })
  new aws.lambda.Permission(`${name}PublicInvokeFunction`, {
    ...{ ...anyone, action: "lambda:InvokeFunction", invokedViaFunctionUrl: true },
  })
  return new aws.lambda.FunctionUrl(`${name}Url`, {
    ...{ functionName, qualifier, authorizationType: "NONE", invokeMode: "RESPONSE_STREAM" },
  }).functionUrl
}

/** Lets a resource of an AWS service invoke a function. */
export function allowInvoke(
  name: string,
  { name: fn, alias: qualifier }: LiveFunction,
  by: { principal: string; sourceArn: $util.Input<string> },
): void {
  new aws.lambda.Permission(name, { action: "lambda:InvokeFunction", function: fn, qualifier, ...by })
}

/** Permissions to send timings. X-Ray's actions can't be limited to specific resources. */
const TRACES = { actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"], resources: ["*"] }

const onlyLambda = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: "lambda.amazonaws.com" } }],
})

/**
 * Returns the permission to invoke this function. The plain ARN is for containers and functions from before the alias
 * existed. Their settings contain the plain name, and a deployment replaces the permissions of their role while they
 * run. Remove the plain ARN once every stage has been deployed with the alias and its older containers have ended.
 */
export function invoke(fn: LiveFunction): { actions: string[]; resources: $util.Input<string>[] } {
  return { actions: ["lambda:InvokeFunction"], resources: [fn.arn, fn.plainArn] }
}
