# Stage recoup: one image for api, worker and command line; the command tells them apart. Stage demo: the same with the
# simulated PSPs. Stage temporal: Temporal's development server.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-audit --no-fund

FROM packages AS build
COPY . .
RUN npm run build

FROM build AS demo-build
RUN npm run build -- --demo

# Not needed when the service runs: Temporal's native part for four other platforms, the compiler of workflow bundles, a
# canvas for drawing PDFs.
FROM packages AS production-packages
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund
RUN node -e "const{readdirSync,rmSync}=require('fs');const d='node_modules/@temporalio/core-bridge/releases';const own={x64:'x86_64',arm64:'aarch64'}[process.arch]+'-unknown-linux-gnu';for(const n of [...readdirSync(d).filter((n)=>n!==own).map((n)=>d+'/'+n),'node_modules/@swc','node_modules/@napi-rs'])rmSync(n,{recursive:true,force:true})"

FROM node:24-slim AS recoup
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps
WORKDIR /app
COPY --from=production-packages /app/node_modules ./node_modules
COPY package.json ./
COPY --from=build /app/build ./build
USER node
CMD ["node", "build/api/main.js"]

FROM recoup AS demo
COPY --from=demo-build /app/build ./build
USER root
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data

# For production run a Temporal cluster or Temporal Cloud instead.
FROM golang:1.26-bookworm AS temporal-build
ENV CGO_ENABLED=0 GOTOOLCHAIN=local
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go install -trimpath -ldflags "-s -w -X github.com/temporalio/cli/temporalcli.Version=1.5.1" github.com/temporalio/cli/cmd/temporal@v1.5.1

FROM node:24-slim AS temporal
COPY --from=temporal-build /go/bin/temporal /usr/local/bin/temporal
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
ENTRYPOINT ["temporal"]

FROM recoup
