package io.github.lockstarter.autoconfigure;

/**
 * The settings that are in force for a lock name, as a part of the result of the endpoint: of its annotated methods,
 * and of requests that do not set the value themselves. Times are as in properties; -1 means no limit, or a renewed
 * lease.
 */
record SettingsDescription(
        SettingDescription waitTime,
        SettingDescription lease,
        SettingDescription maxHold,
        SettingDescription minHold,
        SettingDescription onLost,
        SettingDescription watchdogTimeout,
        SettingDescription maxWaiters) {}
