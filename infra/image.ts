/// <reference path="../.sst/platform/config.d.ts" />
import { IMAGES_KEPT } from "../tools/cloud/kept.ts"

/**
 * An image of the runner, built here and kept in a repository of its own: with all agents, with this one alone, or with none where
 * there is no agent of that name. It takes Docker.
 */
export async function createImage(agent?: string) {
  // SST brings it, and reads all of this once before it has.
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
    // A change of the code alone is built upon what the last deployment pushed.
    cacheFrom: [{ registry: { ref: $interpolate`${repository.repositoryUrl}:latest` } }],
    cacheTo: [{ inline: {} }],
  })
  return {
    repositoryArn: repository.arn,
    /** By its digest: what was tested is what runs. */
    ref: $interpolate`${repository.repositoryUrl}@${image.digest}`,
  }
}

/** A name as those of resources begin. */
export const titled = (agent: string) => `${agent.slice(0, 1).toUpperCase()}${agent.slice(1)}`
