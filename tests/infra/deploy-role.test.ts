import { beforeAll, describe, expect, it } from "vitest"
import template from "../../tools/cloud/deploy-role.json" with { type: "json" }
import { needs } from "../needs.ts"
import { permits, type Statement } from "./policy.ts"
import { missing, type Resource, type Synth, synthesise } from "./synth/synth.ts"

interface Given extends Pick<Statement, "Action" | "Resource"> {
  Effect: string
  Condition?: object | undefined
}

const { DeployStage, DeployOptions, Role } = template.Resources
const documents: { Statement: Given[] }[] = [DeployStage, DeployOptions].map(
  ({ Properties }) => Properties.PolicyDocument,
)

/** The role's statements, with conditions in the format of the stage's policies. */
const statements = documents.flatMap(({ Statement }): Statement[] =>
  Statement.map(({ Action, Resource, Condition = {} }: Given) => ({
    ...{ Effect: "Allow", Action, Resource },
    Condition: Object.entries(Condition).flatMap(([test, given]) =>
      Object.entries(given as object).map(([variable, value]) => ({ test, variable, values: [value].flat() })),
    ),
  })),
)

const may = (action: string, resource: string, context: Record<string, string> = {}) =>
  permits(statements, { action, resource, context })

const arn = (service: string, rest: string) => `arn:aws:${service}:eu-central-1:123456789012:${rest}`
const verbs = (service: string, names: string) => names.split(" ").map((name) => `${service}:${name}`)

interface Needed {
  actions: string[]
  /** Returns the ARN of a resource with this name. */
  at: (name: string, inputs: Resource["inputs"]) => string
}

const lambda = (names: string): Needed => ({
  actions: verbs("lambda", names),
  at: (name, { functionName, function: fn }) => arn("lambda", `function:${functionName ?? fn ?? name}`),
})
const s3 = (names: string): Needed => ({
  actions: verbs("s3", names),
  at: (_, { bucket }) => `arn:aws:s3:::${bucket}`,
})
const inService = (service: string, names: string, kind: string): Needed => ({
  actions: verbs(service, names),
  at: (name) => arn(service, `${kind}${name}`),
})
const anywhere = (service: string, names: string): Needed => ({ actions: verbs(service, names), at: () => "*" })
const gateway = (path: string): Needed => ({
  actions: verbs("apigateway", "GET POST PATCH DELETE"),
  at: () => `arn:aws:apigateway:eu-central-1::${path}`,
})
const edge = (kind: string, more = ""): Needed =>
  anywhere("cloudfront", `Create${kind} Get${kind} Update${kind} Delete${kind}${more}`)

/**
 * Actions that Pulumi's provider needs for each kind of resource: to create, read and change it, and to remove replaced
 * ones.
 */
const NEEDED: Record<string, Needed> = {
  "aws:apigatewayv2/api:Api": gateway("/apis/abc"),
  "aws:apigatewayv2/integration:Integration": gateway("/apis/abc/integrations/def"),
  "aws:apigatewayv2/route:Route": gateway("/apis/abc/routes/def"),
  "aws:apigatewayv2/stage:Stage": gateway("/apis/abc/stages/live"),
  "aws:backup/plan:Plan": anywhere(
    "backup",
    "CreateBackupPlan GetBackupPlan UpdateBackupPlan DeleteBackupPlan TagResource",
  ),
  "aws:backup/selection:Selection": anywhere(
    "backup",
    "CreateBackupSelection GetBackupSelection DeleteBackupSelection",
  ),
  "aws:backup/vault:Vault": anywhere("backup", "CreateBackupVault DescribeBackupVault ListTags TagResource"),
  "aws:budgets/budget:Budget": {
    ...{
      actions: verbs("budgets", "ViewBudget ModifyBudget"),
      at: (name) => `arn:aws:budgets::123456789012:budget/${name}`,
    },
  },
  "aws:cloudfront/cachePolicy:CachePolicy": edge("CachePolicy"),
  "aws:cloudfront/distribution:Distribution": edge("Distribution", " TagResource ListTagsForResource"),
  "aws:cloudfront/function:Function": edge("Function", " DescribeFunction PublishFunction"),
  "aws:cloudfront/keyValueStore:KeyValueStore": edge("KeyValueStore", " DescribeKeyValueStore"),
  "aws:cloudfront/originAccessControl:OriginAccessControl": edge("OriginAccessControl"),
  "aws:cloudfront/originRequestPolicy:OriginRequestPolicy": edge("OriginRequestPolicy"),
  "aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy": edge("ResponseHeadersPolicy"),
  "aws:cloudwatch/dashboard:Dashboard": {
    actions: verbs("cloudwatch", "PutDashboard GetDashboard DeleteDashboards"),
    at: (_, { dashboardName }) => `arn:aws:cloudwatch::123456789012:dashboard/${dashboardName}`,
  },
  "aws:cloudwatch/eventRule:EventRule": inService("events", "PutRule DescribeRule DeleteRule TagResource", "rule/"),
  "aws:cloudwatch/eventTarget:EventTarget": {
    actions: verbs("events", "PutTargets ListTargetsByRule RemoveTargets"),
    at: (_, { rule }) => arn("events", `rule/${rule}-0a1b2c3`),
  },
  "aws:cloudwatch/logGroup:LogGroup": inService(
    "logs",
    "CreateLogGroup PutRetentionPolicy AssociateKmsKey TagResource ListTagsForResource DeleteLogGroup",
    "log-group:",
  ),
  "aws:cloudwatch/logMetricFilter:LogMetricFilter": {
    actions: verbs("logs", "PutMetricFilter DescribeMetricFilters DeleteMetricFilter"),
    at: (_, { logGroupName }) => arn("logs", `log-group:${logGroupName}-0a1b2c3`),
  },
  "aws:cloudwatch/metricAlarm:MetricAlarm": inService(
    "cloudwatch",
    "PutMetricAlarm DescribeAlarms DeleteAlarms TagResource",
    "alarm:",
  ),
  "aws:dynamodb/table:Table": inService(
    "dynamodb",
    "CreateTable DescribeTable UpdateTable UpdateTimeToLive DescribeTimeToLive UpdateContinuousBackups DescribeContinuousBackups TagResource ListTagsOfResource",
    "table/",
  ),
  "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": anywhere(
    "ec2",
    "RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
  ),
  "aws:ec2/internetGateway:InternetGateway": anywhere(
    "ec2",
    "CreateInternetGateway AttachInternetGateway DescribeInternetGateways DetachInternetGateway DeleteInternetGateway",
  ),
  "aws:ec2/routeTable:RouteTable": anywhere(
    "ec2",
    "CreateRouteTable CreateRoute ReplaceRoute DescribeRouteTables DeleteRouteTable",
  ),
  "aws:ec2/routeTableAssociation:RouteTableAssociation": anywhere("ec2", "AssociateRouteTable DisassociateRouteTable"),
  "aws:ec2/securityGroup:SecurityGroup": anywhere(
    "ec2",
    "CreateSecurityGroup AuthorizeSecurityGroupEgress DescribeSecurityGroups RevokeSecurityGroupEgress DeleteSecurityGroup",
  ),
  "aws:ec2/subnet:Subnet": anywhere("ec2", "CreateSubnet ModifySubnetAttribute DescribeSubnets DeleteSubnet"),
  "aws:ec2/vpc:Vpc": anywhere(
    "ec2",
    "CreateVpc ModifyVpcAttribute DescribeVpcAttribute DescribeVpcs DeleteVpc CreateTags",
  ),
  "aws:ec2/vpcEndpoint:VpcEndpoint": anywhere(
    "ec2",
    "CreateVpcEndpoint ModifyVpcEndpoint DescribeVpcEndpoints DescribePrefixLists DeleteVpcEndpoints",
  ),
  "aws:ecr/lifecyclePolicy:LifecyclePolicy": {
    actions: verbs("ecr", "PutLifecyclePolicy GetLifecyclePolicy DeleteLifecyclePolicy"),
    at: (_, { repository }) => arn("ecr", `repository/${repository}`),
  },
  "aws:ecr/repository:Repository": inService(
    "ecr",
    "CreateRepository DescribeRepositories PutImageScanningConfiguration ListTagsForResource TagResource DeleteRepository",
    "repository/",
  ),
  "aws:ecs/cluster:Cluster": inService(
    "ecs",
    "CreateCluster DescribeClusters UpdateCluster TagResource DeleteCluster",
    "cluster/",
  ),
  "aws:ecs/taskDefinition:TaskDefinition": anywhere(
    "ecs",
    "RegisterTaskDefinition DescribeTaskDefinition DeregisterTaskDefinition",
  ),
  "aws:iam/role:Role": {
    actions: verbs(
      "iam",
      "CreateRole GetRole UpdateAssumeRolePolicy PutRolePolicy GetRolePolicy DeleteRolePolicy AttachRolePolicy DetachRolePolicy ListRolePolicies ListAttachedRolePolicies ListInstanceProfilesForRole TagRole DeleteRole",
    ),
    at: (name) => `arn:aws:iam::123456789012:role/${name}`,
  },
  "aws:kms/key:Key": anywhere(
    "kms",
    "CreateKey DescribeKey PutKeyPolicy GetKeyPolicy EnableKeyRotation GetKeyRotationStatus TagResource",
  ),
  "aws:lambda/alias:Alias": lambda("CreateAlias GetAlias UpdateAlias DeleteAlias"),
  "aws:lambda/function:Function": lambda(
    "CreateFunction GetFunction UpdateFunctionCode UpdateFunctionConfiguration PublishVersion ListVersionsByFunction PutFunctionConcurrency TagResource DeleteFunction",
  ),
  "aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig": lambda(
    "PutFunctionEventInvokeConfig GetFunctionEventInvokeConfig DeleteFunctionEventInvokeConfig",
  ),
  "aws:lambda/functionUrl:FunctionUrl": lambda(
    "CreateFunctionUrlConfig GetFunctionUrlConfig UpdateFunctionUrlConfig DeleteFunctionUrlConfig",
  ),
  "aws:lambda/permission:Permission": lambda("AddPermission GetPolicy RemovePermission"),
  "aws:s3/bucket:Bucket": s3("CreateBucket ListBucket GetBucketLocation GetBucketAcl PutBucketTagging"),
  "aws:s3/bucketCorsConfiguration:BucketCorsConfiguration": s3("PutBucketCORS GetBucketCORS"),
  "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": s3(
    "PutLifecycleConfiguration GetLifecycleConfiguration",
  ),
  "aws:s3/bucketObjectv2:BucketObjectv2": {
    actions: verbs("s3", "PutObject GetObject GetObjectTagging DeleteObject"),
    // The mocks shorten the name of SST's bucket.
    at: (_, { bucket, key }) => `arn:aws:s3:::${bucket === "sst-asset" ? "sst-asset-abc" : bucket}/${key}`,
  },
  "aws:s3/bucketPolicy:BucketPolicy": s3("PutBucketPolicy GetBucketPolicy DeleteBucketPolicy"),
  "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": s3("PutBucketPublicAccessBlock GetBucketPublicAccessBlock"),
  "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": s3(
    "PutEncryptionConfiguration GetEncryptionConfiguration",
  ),
  "aws:s3/bucketVersioning:BucketVersioning": s3("PutBucketVersioning GetBucketVersioning"),
  "aws:scheduler/schedule:Schedule": inService(
    "scheduler",
    "CreateSchedule GetSchedule UpdateSchedule DeleteSchedule",
    "schedule/default/",
  ),
  "aws:sns/topic:Topic": inService(
    "sns",
    "CreateTopic GetTopicAttributes SetTopicAttributes TagResource DeleteTopic",
    "",
  ),
  "aws:sns/topicSubscription:TopicSubscription": {
    ...{
      actions: verbs("sns", "Subscribe GetSubscriptionAttributes Unsubscribe"),
      at: () => arn("sns", "Alarms-0a1b2c3"),
    },
  },
  "aws:wafv2/webAcl:WebAcl": {
    actions: verbs("wafv2", "CreateWebACL GetWebACL UpdateWebACL DeleteWebACL TagResource"),
    at: (name) => `arn:aws:wafv2:us-east-1:123456789012:global/webacl/${name}/abc`,
  },
  // Docker pushes images, and SST itself writes the Router's routes.
  "docker-build:index:Image": {
    actions: verbs(
      "ecr",
      "BatchCheckLayerAvailability InitiateLayerUpload UploadLayerPart CompleteLayerUpload PutImage BatchGetImage",
    ),
    at: () => arn("ecr", "repository/switchyard-prod-runner"),
  },
  "pulumi-nodejs:dynamic:Resource": anywhere(
    "cloudfront-keyvaluestore",
    "DescribeKeyValueStore ListKeys GetKey PutKey DeleteKey UpdateKeys",
  ),
}

/** Resources that Pulumi creates without AWS. */
const LOCAL = new Set(["pulumi:providers:aws", "random:index/randomBytes:RandomBytes"])

describe("the role that deploys from a pipeline", needs(missing), () => {
  let synth: Synth
  beforeAll(async () => {
    const env = {
      ...{ AGENTS: "on", AGENT_IMAGES: "each", SOCKETS: "on", DASHBOARD: "on", FIREWALL: "on", KMS_KEY: "on" },
      ...{ BUDGET_DOLLARS: "50", ALARM_EMAIL: "ops@example.com", CORS_ALLOWED_ORIGINS: "https://studio.example" },
      BACKUP_VAULT: "arn:aws:backup:eu-central-1:210987654321:backup-vault:switchyard",
    }
    synth = await synthesise("prod", { env, bundle: false })
  })

  it("may make, read, change and replace each resource of a stage with all options", () => {
    const refused = synth.resources.flatMap(({ type, name, custom, inputs }) => {
      if (!custom || LOCAL.has(type)) return []
      const needed = NEEDED[type]
      if (!needed) return [`Which actions does ${type} need?`]
      // Pulumi generates a name for a resource without one.
      const resource = needed.at(inputs.name ?? `${name}-0a1b2c3`, inputs)
      return needed.actions.filter((action) => !may(action, resource)).map((action) => `${action} ${resource}`)
    })
    expect(refused).toEqual([])
  })

  it("may pass the stage's roles to the services that they trust, and nothing else to nobody", () => {
    const pass = (role: string, service: string) =>
      may("iam:PassRole", `arn:aws:iam::123456789012:role/${role}`, {
        "iam:PassedToService": `${service}.amazonaws.com`,
      })
    expect(pass("switchyard-prod-ApiRole-abc", "lambda")).toBe(true)
    expect(pass("RunnerRole-0a1b2c3", "ecs-tasks")).toBe(true)
    expect([pass("admin", "lambda"), pass("switchyard-prod-ApiRole-abc", "ec2")]).toEqual([false, false])
  })

  it("may neither remove what is stored, nor touch what isn't the stage's, nor change itself", () => {
    const table = "switchyard-prod-RecordsTable-abc"
    const own = `arn:aws:iam::123456789012:role/${Role.Properties.RoleName}`
    const forbidden: [string, string][] = [
      ["dynamodb:DeleteTable", arn("dynamodb", `table/${table}`)],
      ["dynamodb:GetItem", arn("dynamodb", `table/${table}`)],
      ["s3:GetObject", "arn:aws:s3:::switchyard-prod-blobsbucket-abc/s/1/file"],
      ["s3:DeleteBucket", "arn:aws:s3:::switchyard-prod-blobsbucket-abc"],
      ["s3:DeleteBucket", "arn:aws:s3:::sst-state-abc"],
      ["s3:GetObject", "arn:aws:s3:::other/file"],
      ["kms:ScheduleKeyDeletion", arn("kms", "key/abc")],
      ["lambda:UpdateFunctionCode", arn("lambda", "function:other")],
      ["iam:PutRolePolicy", own],
      ["iam:CreateUser", "arn:aws:iam::123456789012:user/eve"],
      ["iam:CreatePolicyVersion", "arn:aws:iam::123456789012:policy/any"],
      ["ec2:RunInstances", arn("ec2", "instance/*")],
      ["ecs:RunTask", arn("ecs", "task-definition/Runners-0a1b2c3-runner:1")],
      ["ssm:GetParameter", arn("ssm", "parameter/other")],
    ]
    expect(forbidden.filter(([action, resource]) => may(action, resource))).toEqual([])
  })

  it("has policies that AWS's limits allow, and trusts one workflow", () => {
    expect(documents.flatMap(({ Statement }) => Statement).every(({ Effect }) => Effect === "Allow")).toBe(true)
    for (const document of documents) expect(JSON.stringify(document).length).toBeLessThan(6144)
    const [trust] = Role.Properties.AssumeRolePolicyDocument.Statement
    expect(trust?.Condition).toEqual({
      StringEquals: {
        "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
        "token.actions.githubusercontent.com:sub": { Ref: "Subject" },
      },
    })
  })
})
