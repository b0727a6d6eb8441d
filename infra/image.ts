/// <reference path="../.sst/platform/config.d.ts" />
import { IMAGES_KEPT } from "../tools/cloud/kept.ts"

/**
 * Builds an image of the runner, and stores it in its own repository: with all agents, with one agent, or with none if
 * no agent has the name. Needs Docker.
 */
export async function createImage(agent?: string) {
  // SST installs this package, and evaluates this file once before.
  const { Image } = await import("@pulumi/docker-build")
  const suffix = agent === undefined ? "" : `-${agent}`
  const name = (kind: string) => `Runner${agent === undefined ? "" : titled(agent)}${kind}`
  const repository = new aws.ecr.Repository(name("Images"), {
    name: `${$app.name}-${$app.stage}-runner${suffix}`.toLowerCase(),
    forceDelete: true,
    imageScanningConfiguration: { scanOnPush: true },
  })
  new aws.ecr.LifecyclePolicy(name("ImagesExpire"), {
    repository: repository.name,
    policy: JSON.stringify({
      rules: [
        {
          rulePriority: 1,
          description: "Only the newest are kept",
          selection: { tagStatus: "any", countType: "imageCountMoreThan", countNumber: IMAGES_KEPT },
          action: { type: "expire" },
        },
      ],
    }),
  })
  const token = aws.ecr.getAuthorizationTokenOutput({ registryId: repository.registryId })
  const image = new Image(name("Image"), {
    context: { location: $cli.paths.root },
    dockerfile: { location: `${$cli.paths.root}/Dockerfile` },
    ...(agent !== undefined && { buildArgs: { AGENTS: agent } }),
    platforms: ["linux/arm64"],
    tags: [$interpolate`${repository.repositoryUrl}:latest`],
    registries: [{ address: token.proxyEndpoint, username: token.userName, password: $util.secret(token.password) }],
    push: true,
    // After a change of the code only, the build reuses layers of the last deployment.
    cacheFrom: [{ registry: { ref: $interpolate`${repository.repositoryUrl}:latest` } }],
    cacheTo: [{ inline: {} }],
  })
  return {
    repositoryArn: repository.arn,
    /** Image by digest, so that the tested image is the one that runs. */
    ref: $interpolate`${repository.repositoryUrl}@${image.digest}`,
  }
}

/** Capitalizes a name for a resource. */
export const titled = (agent: string) => `${agent.slice(0, 1).toUpperCase()}${agent.slice(1)}`
