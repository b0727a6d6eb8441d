# A session's runner with the agents that it starts. The runner is root, agents are users of their own. `npm run image` builds it from
# nothing but Debian's and npm's registries, and puts it to work. docs/agents.md has more.
# By the digest of its index for all architectures; `node tools/pin-base.ts` replaces it by today's.
ARG BASE=node:24-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
FROM ${BASE}

COPY tools/image/packages.sh tools/image/system.sh tools/image/bill-of-materials.ts tools/image/sbom.ts /build/tools/image/
RUN sh /build/tools/image/system.sh && node /build/tools/image/sbom.ts

COPY tools/image/mise.sh /build/tools/image/
COPY tools/image/mise /build/tools/image/mise
# Empty for an image without mise, if the registry doesn't have its package for the architecture.
ARG MISE="mise"
RUN [ -z "$MISE" ] || { sh /build/tools/image/mise.sh && node /build/tools/image/sbom.ts mise /opt/mise; }

# Before the product's own files, which change more often: each agent as its lockfile pins it, which `node
# tools/lock-agents.ts` makes. What lies where in a package, and that no script of one runs, is what the runner does on any
# other machine.
COPY packages/runner/src/processes/agent-user.ts /build/packages/runner/src/processes/
COPY packages/runner/src/programs/lockfile.ts packages/runner/src/programs/npm-errors.ts packages/runner/src/programs/npm-install.ts packages/runner/src/programs/npm-program.ts packages/runner/src/programs/take-over.ts /build/packages/runner/src/programs/
COPY tools/image/agent.ts /build/tools/image/
ARG AGENTS="claude codex gemini qwen opencode"
COPY packages/runner/src/programs/locks/claude /build/packages/runner/src/programs/locks/claude
RUN node /build/tools/image/agent.ts claude
COPY packages/runner/src/programs/locks/codex /build/packages/runner/src/programs/locks/codex
RUN node /build/tools/image/agent.ts codex
COPY packages/runner/src/programs/locks/gemini /build/packages/runner/src/programs/locks/gemini
RUN node /build/tools/image/agent.ts gemini
COPY packages/runner/src/programs/locks/qwen /build/packages/runner/src/programs/locks/qwen
RUN node /build/tools/image/agent.ts qwen
COPY packages/runner/src/programs/locks/opencode /build/packages/runner/src/programs/locks/opencode
RUN node /build/tools/image/agent.ts opencode

# Debian packages that a stage adds with RUNNER_PACKAGES, after the agents, whose layers stay the same.
ARG PACKAGES=""
RUN sh /build/tools/image/packages.sh $PACKAGES && node /build/tools/image/sbom.ts

WORKDIR /opt/switchyard
COPY package.json package-lock.json ./
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/core/package.json packages/core/
COPY packages/demo-model/package.json packages/demo-model/
COPY packages/functions/package.json packages/functions/
COPY packages/runner/package.json packages/runner/
COPY packages/web/package.json packages/web/
COPY tools/image/dependencies.sh /build/tools/image/
RUN sh /build/tools/image/dependencies.sh && node /build/tools/image/sbom.ts switchyard /opt/switchyard
COPY packages/core/src packages/core/src
COPY packages/runner/src packages/runner/src

# Has agents run as others than root, who can read none of what the runner has: not its environment, not its data, no other
# agent's home.
ENV SWITCHYARD_AGENT_USER=agent
# Reaps what agents leave behind, and passes signals on.
ENTRYPOINT ["tini", "--"]
CMD ["node", "packages/runner/src/main.mjs"]
