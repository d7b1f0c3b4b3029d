#!/usr/bin/env node
import '@fossick/server/command';
