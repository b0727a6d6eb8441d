/// <reference path="../.sst/platform/config.d.ts" />

import { BROWSER_IMAGE } from "../packages/functions/src/aws/ecs-target.ts"
import { BROWSER_PACKAGES, IMAGES_KEPT } from "../tools/cloud/kept.ts"
import { containerSize, imagePackages } from "./stage.ts"

/**
 * Builds a runner image and pushes it to its own repository. The image contains all agents by default, only the agent
 * named `kind`, or none if no agent has that name. The kind "browser" contains all agents and a browser. Every image has
 * the stage's own Debian packages. Needs Docker.
 */
export async function createImage(kind?: string) {
  // Import dynamically, because SST evaluates this file once before it installs the package.
  const { Image } = await import("@pulumi/docker-build")
  const suffix = kind === undefined ? "" : `-${kind}`
  const name = (resource: string) => `Runner${kind === undefined ? "" : titled(kind)}${resource}`
  const withBrowser = kind === BROWSER_IMAGE
  const packages = [...imagePackages, ...(withBrowser ? BROWSER_PACKAGES : [])]
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
      ...(kind !== undefined && !withBrowser && { AGENTS: kind }),
      ...(packages.length > 0 && { PACKAGES: packages.join(" ") }),
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

export const titled = (kind: string) => `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`
