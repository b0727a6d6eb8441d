/// <reference path="../.sst/platform/config.d.ts" />
import { IMAGES_KEPT } from "../tools/cloud/kept.ts"
import { containerSize, imagePackages } from "./stage.ts"

/**
 * Builds a runner image and pushes it to its own repository. The image contains all agents by default, only the agent
 * named `agent`, or none if no agent has that name. Every image has the stage's own Debian packages. Needs Docker.
 */
export async function createImage(agent?: string) {
  // Import dynamically, because SST evaluates this file once before it installs the package.
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
          description: "Keeps only the newest images",
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
    buildArgs: {
      ...(agent !== undefined && { AGENTS: agent }),
      ...(imagePackages.length > 0 && { PACKAGES: imagePackages.join(" ") }),
    },
    platforms: [`linux/${containerSize.architecture}`],
    tags: [$interpolate`${repository.repositoryUrl}:latest`],
    registries: [{ address: token.proxyEndpoint, username: token.userName, password: $util.secret(token.password) }],
    push: true,
    // If only the code has changed, the build reuses the layers of the last deployment.
    cacheFrom: [{ registry: { ref: $interpolate`${repository.repositoryUrl}:latest` } }],
    cacheTo: [{ inline: {} }],
  })
  return {
    repositoryArn: repository.arn,
    /** Reference with a digest. It ensures that the image that runs is the one that was tested. */
    ref: $interpolate`${repository.repositoryUrl}@${image.digest}`,
  }
}

export const titled = (agent: string) => `${agent.slice(0, 1).toUpperCase()}${agent.slice(1)}`
