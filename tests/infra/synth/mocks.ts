import type { Resource } from "./synth.ts"

export const REGION = "eu-central-1"
export const ACCOUNT = "123456789012"

interface NewResource {
  type: string
  name: string
  custom?: boolean
  inputs: Record<string, unknown>
}

interface Call {
  token: string
  inputs: Record<string, unknown>
}

/** Mocks AWS for Pulumi. Accepts every resource, and returns the properties that other resources need. */
export function recordResources() {
  const resources: Resource[] = []
  const mocks = {
    newResource({ type, name, custom = true, inputs }: NewResource) {
      const seen = plain(inputs) as Record<string, string>
      resources.push({ type, name, custom, inputs: seen })
      const ofAlias = type === "aws:lambda/alias:Alias" && `${seen.functionName}:${seen.name}`
      const physical = ofAlias || (seen.name ?? seen.bucket ?? seen.family ?? name)
      const arn = arnOf(type, physical)
      return { id: `${name}-id`, state: { ...inputs, arn, name: physical, ...computed(type, physical, arn) } }
    },
    call: ({ token, inputs }: Call) => ANSWERS[token]?.(inputs) ?? { ...inputs, id: "mock" },
  }
  return { mocks, resources }
}

const ARNS: Record<string, (name: string) => string> = {
  "aws:s3/bucket:Bucket": (name) => `arn:aws:s3:::${name}`,
  "aws:dynamodb/table:Table": (name) => `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${name}`,
  "aws:lambda/function:Function": (name) => `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`,
  "aws:lambda/alias:Alias": (name) => `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`,
  "aws:iam/role:Role": (name) => `arn:aws:iam::${ACCOUNT}:role/${name}`,
  "aws:cloudwatch/logGroup:LogGroup": (name) => `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${name}`,
  "aws:ecs/cluster:Cluster": (name) => `arn:aws:ecs:${REGION}:${ACCOUNT}:cluster/${name}`,
  "aws:ecs/taskDefinition:TaskDefinition": (name) => `arn:aws:ecs:${REGION}:${ACCOUNT}:task-definition/${name}:1`,
  "aws:ecr/repository:Repository": (name) => `arn:aws:ecr:${REGION}:${ACCOUNT}:repository/${name}`,
  "aws:cloudfront/distribution:Distribution": (name) => `arn:aws:cloudfront::${ACCOUNT}:distribution/${name}`,
}

function arnOf(type: string, name: string): string {
  const service = type.split(/[:/]/)[1]
  return ARNS[type]?.(name) ?? `arn:aws:${service}:${REGION}:${ACCOUNT}:${name}`
}

/** Returns the properties that AWS would generate. */
function computed(type: string, name: string, arn: string): Record<string, unknown> {
  switch (type) {
    case "aws:s3/bucket:Bucket":
      return { bucket: name, bucketRegionalDomainName: `${name}.s3.${REGION}.amazonaws.com` }
    case "aws:lambda/functionUrl:FunctionUrl":
      return { functionUrl: `https://${name.toLowerCase()}.lambda-url.${REGION}.on.aws/` }
    case "aws:lambda/function:Function":
      return { version: "1", qualifiedArn: `${arn}:1`, invokeArn: arn }
    case "aws:lambda/alias:Alias":
      return { name: name.split(":").at(-1), invokeArn: arn }
    case "aws:cloudfront/distribution:Distribution":
      return { domainName: "d111111abcdef8.cloudfront.net" }
    case "aws:ecs/taskDefinition:TaskDefinition":
      return { arnWithoutRevision: arn.replace(/:1$/, "") }
    case "aws:ecr/repository:Repository":
      return { repositoryUrl: `${REGISTRY}/${name}`, registryId: ACCOUNT }
    case "docker-build:index:Image":
      return { digest: `sha256:${"0".repeat(64)}` }
    case "random:index/randomBytes:RandomBytes":
      return { base64: Buffer.alloc(32, 7).toString("base64") }
    case "random:index/randomId:RandomId":
      return { dec: "123456", hex: "1e240" }
    default:
      return {}
  }
}

const REGISTRY = `${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com`

const ANSWERS: Record<string, (inputs: Record<string, unknown>) => unknown> = {
  "aws:index/getRegion:getRegion": () => ({ id: REGION, name: REGION, region: REGION }),
  "aws:index/getPartition:getPartition": () => ({ id: "aws", partition: "aws", dnsSuffix: "amazonaws.com" }),
  "aws:index/getCallerIdentity:getCallerIdentity": () => ({ id: ACCOUNT, accountId: ACCOUNT }),
  // Includes a local zone, unless the filters exclude it.
  "aws:index/getAvailabilityZones:getAvailabilityZones": ({ filters = [] }) => {
    const isPlain = JSON.stringify(filters) === '[{"name":"opt-in-status","values":["opt-in-not-required"]}]'
    return {
      id: REGION,
      names: [...(isPlain ? [] : ["-ham-1a"]), "a", "b", "c"].map((zone) => `${REGION}${zone}`),
      zoneIds: ["1", "2", "3"],
    }
  },
  "aws:ecr/getAuthorizationToken:getAuthorizationToken": () => ({
    id: REGION,
    proxyEndpoint: `https://${REGISTRY}`,
    userName: "AWS",
    password: "registry-password",
  }),
  "aws:iam/getPolicyDocument:getPolicyDocument": (inputs) => ({ ...inputs, id: "policy", json: policyOf(inputs) }),
}

interface Statement {
  effect?: string
  actions: string[]
  resources: string[]
  principals?: unknown
  conditions?: unknown[]
}

function policyOf(inputs: { statements?: unknown }): string {
  const statements = (inputs.statements ?? []) as Statement[]
  return JSON.stringify({
    Version: "2012-10-17",
    Statement: statements.map(({ effect = "Allow", actions, resources, principals, conditions = [] }) => ({
      Effect: effect,
      Action: actions,
      Resource: resources,
      ...(principals !== undefined && { Principal: principals }),
      ...(conditions.length > 0 && { Condition: conditions }),
    })),
  })
}

// Pulumi's mark of special values on the wire: secrets, and assets in place of files.
const MARK = "4dabf18193072939515e22adb298388d"
const SECRET = "1b47061264138c4ac30d75fd1eb44270"

/** Returns the value without Pulumi's wrappers. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  const fields = value as Record<string, unknown>
  if (fields[MARK] === SECRET) return plain(fields.value)
  if (fields[MARK] !== undefined) return { asset: fields.path ?? fields.text ?? "archive" }
  const kept = Object.entries(fields).filter(([name]) => name !== "__provider")
  return Object.fromEntries(kept.map(([name, inner]) => [name, plain(inner)]))
}
