FROM python:3.13-slim
WORKDIR /app
COPY . .
RUN pip install --no-cache-dir --require-hashes --requirement requirements/run.txt \
    && pip install --no-cache-dir --no-deps . \
    && useradd --create-home --uid 10001 vta && mkdir /data /backups && chown vta /data /backups
USER vta
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["vta"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
